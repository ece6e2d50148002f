"""Published records as environments: files of benchmarks in, one packed set out.

    importing.py    import_file(format, file, dest): what all formats have in common, and the report
    <format>.py     one module a format: import_record(record, options)
    verifiers/      the verifiers that the environments get, as they are put beside their cases

Nothing of a record runs here: code in it is parsed at most, and runs in a judge.
"""
