"""Common words, by which a text is recognized as being in a language."""

from __future__ import annotations

# Words so common that a few sentences in the language hold one, and that the other languages of
# this table mostly do not have.
LANGUAGE_HINTS: dict[str, tuple[str, ...]] = {
    language: tuple(hints.split())
    for language, hints in {
        "en": "the and is are of to that this with you it have from",
        "es": "el los las y es una que para por con del está pero muy",
        "fr": "le les et est une des que pour dans avec je vous nous sont",
        "de": "der die das und ist nicht ein eine ich mit für auf sind",
        "it": "il lo gli che è di per non con sono della nel questo",
        "pt": "que não é um uma para com em os mais você são muito",
        "ru": "и в не на что это я он с как по",
        "hi": "है और के में की का को से यह हैं नहीं",
        "vi": "là và của có không một những được cho này tôi",
        "tr": "ve bir bu için ile değil çok ama gibi daha",
        "nl": "het een van niet zijn voor met dat ik de ook maar",
    }.items()
}
