"""Forms of one Arabic word have one stem, and words of their own keep theirs."""

import pytest

from consolidation.text.words import stems


@pytest.mark.parametrize(
    "forms",
    [
        "شقة الشقة للشقة بالشقة والشقة شقتي لشقتي شقته شقه",
        "سيارة السيارة بالسيارة سيارتي للسيارة سيارته",
        "بنت البنت بنتي لبنتي وبنتها",
        "أدفع ندفع يدفع تدفع دفعت بيدفع",
        "إيجار الإيجار إيجارها بإيجار",
        "مدير المدير مديري للمدير مديرتنا",
        "أخت أختي لأختي أختها",
    ],
)
def test_forms_of_one_word_have_one_stem(forms):
    assert len({stems(form, language="ar") for form in forms.split()}) == 1


@pytest.mark.parametrize("pair", ["أخت أخ", "بيت بنت", "بعيد عيد", "قهوة قصة", "سكر سكن", "جار إيجار"])
def test_other_words_have_another(pair):
    one, other = pair.split()

    assert stems(one, language="ar") != stems(other, language="ar")
