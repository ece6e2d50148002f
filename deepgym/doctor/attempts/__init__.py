"""What the doctor tries from inside a sandbox. Each module travels there whole and imports the standard library only.

An attempt is a function of the bait (see `deepgym.doctor.bait`). It returns what it got, None when it found nothing,
or lets the OSError pass that refused it. Attempts are made outside the sandbox too, as controls, so all of them are
harmless where nothing stops them: they touch what the doctor has put there, or hand the kernel arguments that it must
reject.
"""
