"""The language of a format in, its names of months out; a text with such a name in, its possible languages out.

A format of dates ends in the language's code in braces, ``%-d %B %Y{fr}``, unless names are English.
"""

from __future__ import annotations

import calendar
import re
from functools import cache
from typing import NamedTuple

from janus_synth.table.texts.eras import ERAS


class MonthNames(NamedTuple):
    """Names of the twelve months in one language: full, and short."""

    full: tuple[str, ...]
    short: tuple[str, ...]


ENGLISH = MonthNames(tuple(calendar.month_name[1:]), tuple(calendar.month_abbr[1:]))
_LINES = {
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "de_short": "Jan Feb Mär Apr Mai Jun Jul Aug Sep Okt Nov Dez",
    "de_mrz_short": "Jan Feb Mrz Apr Mai Jun Jul Aug Sep Okt Nov Dez",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "fr_short": "janv. févr. mars avr. mai juin juil. août sept. oct. nov. déc.",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "es_short": "ene feb mar abr may jun jul ago sep oct nov dic",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "it_short": "gen feb mar apr mag giu lug ago set ott nov dic",
    "pt": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "pt_short": "jan fev mar abr mai jun jul ago set out nov dez",
    "nl": "januari februari maart april mei juni juli augustus september oktober november december",
    "nl_short": "jan feb mrt apr mei jun jul aug sep okt nov dec",
    "pl": "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia",
    "pl_short": "sty lut mar kwi maj cze lip sie wrz paź lis gru",
    "pl_base": "styczeń luty marzec kwiecień maj czerwiec lipiec sierpień wrzesień październik listopad grudzień",
    "sv": "januari februari mars april maj juni juli augusti september oktober november december",
    "sv_short": "jan feb mar apr maj jun jul aug sep okt nov dec",
    "da": "januar februar marts april maj juni juli august september oktober november december",
    "no": "januar februar mars april mai juni juli august september oktober november desember",
    "fi": "tammikuuta helmikuuta maaliskuuta huhtikuuta toukokuuta kesäkuuta heinäkuuta elokuuta syyskuuta lokakuuta "
    "marraskuuta joulukuuta",
    "cs": "ledna února března dubna května června července srpna září října listopadu prosince",
    "ru": "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
    "ru_base": "Январь Февраль Март Апрель Май Июнь Июль Август Сентябрь Октябрь Ноябрь Декабрь",
    "uk": "січня лютого березня квітня травня червня липня серпня вересня жовтня листопада грудня",
    "tr": "Ocak Şubat Mart Nisan Mayıs Haziran Temmuz Ağustos Eylül Ekim Kasım Aralık",
    "tr_short": "Oca Şub Mar Nis May Haz Tem Ağu Eyl Eki Kas Ara",
    "hu": "január február március április május június július augusztus szeptember október november december",
    "hu_short": "jan. febr. márc. ápr. máj. jún. júl. aug. szept. okt. nov. dec.",
    "ro": "ianuarie februarie martie aprilie mai iunie iulie august septembrie octombrie noiembrie decembrie",
    "ro_short": "ian. feb. mar. apr. mai iun. iul. aug. sept. oct. nov. dec.",
    "sk": "januára februára marca apríla mája júna júla augusta septembra októbra novembra decembra",
    "hr": "siječnja veljače ožujka travnja svibnja lipnja srpnja kolovoza rujna listopada studenoga prosinca",
    "sr": "januar februar mart april maj jun jul avgust septembar oktobar novembar decembar",
    "bg": "януари февруари март април май юни юли август септември октомври ноември декември",
    "el": "Ιανουαρίου Φεβρουαρίου Μαρτίου Απριλίου Μαΐου Ιουνίου Ιουλίου Αυγούστου Σεπτεμβρίου Οκτωβρίου Νοεμβρίου "
    "Δεκεμβρίου",
    "el_short": "Ιαν Φεβ Μαρ Απρ Μαΐ Ιουν Ιουλ Αυγ Σεπ Οκτ Νοε Δεκ",
    "ar": "يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر",
    "he": "בינואר בפברואר במרץ באפריל במאי ביוני ביולי באוגוסט בספטמבר באוקטובר בנובמבר בדצמבר",
    "th": "มกราคม กุมภาพันธ์ มีนาคม เมษายน พฤษภาคม มิถุนายน กรกฎาคม สิงหาคม กันยายน ตุลาคม พฤศจิกายน ธันวาคม",
    "th_short": "ม.ค. ก.พ. มี.ค. เม.ย. พ.ค. มิ.ย. ก.ค. ส.ค. ก.ย. ต.ค. พ.ย. ธ.ค.",
    "id": "Januari Februari Maret April Mei Juni Juli Agustus September Oktober November Desember",
}
LANGUAGES = {
    code: MonthNames(tuple(line.split()), tuple(_LINES.get(f"{code}_short", line).split()))
    for code, line in _LINES.items()
    if not code.endswith("_short")
} | {"de_mrz": MonthNames(tuple(_LINES["de"].split()), tuple(_LINES["de_mrz_short"].split()))}
WEEKDAYS = (
    "lundi mardi mercredi jeudi vendredi samedi dimanche",
    "montag dienstag mittwoch donnerstag freitag samstag sonntag",
    "mo di mi do fr sa so",
    "lunes martes miércoles jueves viernes sábado domingo",
    "lunedì martedì mercoledì giovedì venerdì sabato domenica",
    "segunda terça quarta quinta sexta sábado domingo",
    "segunda-feira terça-feira quarta-feira quinta-feira sexta-feira sábado domingo",
    "maandag dinsdag woensdag donderdag vrijdag zaterdag zondag",
    "poniedziałek wtorek środa czwartek piątek sobota niedziela",
    "måndag tisdag onsdag torsdag fredag lördag söndag",
    "mandag tirsdag onsdag torsdag fredag lørdag søndag",
    "понедельник вторник среда четверг пятница суббота воскресенье",
    "pazartesi salı çarşamba perşembe cuma cumartesi pazar",
)
"""Names of weekdays in lower case."""
_TAGGED = re.compile(r"(?P<form>.*)\{(?P<code>[a-z_]{2,8})\}")
_LETTERS = re.compile(r"[^\W\d_](?:[^\W\d_]|[\u0e30-\u0e4e]|\.(?=\w))*\.?")
"""Words, also Thai ones with their marks, and with points inside: มี.ค."""


def split_language(form: str) -> tuple[str, MonthNames | None]:
    """A format without its language, and the names of months; None for a language that is not known.

    >>> split_language("%-d %B %Y{fr}")[0], split_language("%d/%m/%Y")[1] == ENGLISH
    ('%-d %B %Y', True)
    """
    found = _TAGGED.fullmatch(form)
    if found is None:
        return form, ENGLISH
    return found["form"], LANGUAGES.get(found["code"], ENGLISH if found["code"] in ERAS else None)


def languages_of(text: str) -> list[str]:
    """Codes of the languages in which a word of the text is the name of a month, English apart.

    >>> languages_of("3 février 2024"), languages_of("3 February 2024"), languages_of("04/05/2024")
    (['fr'], [], [])
    """
    words = {word.lower() for word in _LETTERS.findall(text)} | {
        word.lower().rstrip(".") for word in _LETTERS.findall(text)
    }
    return [code for code in LANGUAGES if words & _all_names(code)]


@cache
def _all_names(code: str) -> frozenset[str]:
    names = LANGUAGES[code]
    return frozenset(name.lower() for name in (*names.full, *names.short))


@cache
def scales_of_names() -> tuple[tuple[str, ...], ...]:
    """Months and weekdays of all languages in lower case, in order."""
    months = [tuple(name.lower() for name in names) for each in LANGUAGES.values() for names in each]
    return (*dict.fromkeys(months), *(tuple(line.split()) for line in WEEKDAYS))
