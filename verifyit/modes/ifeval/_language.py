"""Common words, by which a text is recognized as being in a language."""

from __future__ import annotations

# Words so common that a few sentences in the language hold one, and that the other languages of
# this table mostly do not have.
LANGUAGE_HINTS: dict[str, tuple[str, ...]] = {
    language: tuple(hints.split())
    for language, hints in {
        "en": "the and is are of to that this with you it have from for they will be by not can",
        "es": "el la los las y es un una de que para por con del en está pero muy como más su",
        "fr": "le la les et est un une des de que pour dans avec je vous nous sont il elle ce pas en",
        "de": "der die das und ist nicht ein eine ich mit für auf sind zu von den im wir auch",
        "it": "il la lo gli che è di e un una per non con sono della nel questo",
        "pt": "que não é e de um uma para com em os mais você são muito por se na",
        "ru": "и в не на что это я он с как по мы ты но у за",
        "hi": "है और के में की का को से यह हैं नहीं एक पर",
        "vi": "là và của có không một những được cho này tôi rất bạn trong với các",
        "tr": "ve bir bu için ile değil çok ama gibi daha ben ne",
        "nl": "het een van niet zijn voor met dat ik de ook maar en te je wij",
    }.items()
}
