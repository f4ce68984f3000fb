"""A column's name in; the role of personal data that its words suggest, and whose column it is, out.

Words are compared in lower case and without accents, so that ``Teléfono`` and ``telefono`` are one.
"""

from __future__ import annotations

import re
import unicodedata


def plain_word(word: str) -> str:
    """A word in lower case, without accents.

    >>> plain_word("Prénom"), plain_word("Straße")
    ('prenom', 'strasse')
    """
    return "".join(c for c in unicodedata.normalize("NFKD", word.casefold()) if not unicodedata.combining(c))


def words_of(text: str) -> frozenset[str]:
    """Plain words of a text."""
    return frozenset(map(plain_word, text.split()))


_WORDS = {
    "email": words_of("email mail emails courriel correo correos メール 邮箱 電子郵件 이메일 почта"),
    "phone": words_of(
        "phone telephone tel mobile cell cellphone fax telefon handy telefono telefone celular movil rufnummer "
        "telefonnummer mobilnummer handynummer faxnummer telefoonnummer puhelin telefonszam telefonu whatsapp телефон "
        "電話 電話番号 电话 手机 手机号 전화 전화번호 الهاتف هاتف טלפון"
    ),
    "address": words_of(
        "address street addr adresse anschrift strasse direccion rue indirizzo endereco adres 住所 地址 주소"
    ),
    "ip": words_of("ip ipaddress ipv4 ipv6"),
    "card": words_of("card creditcard cc pan kreditkarte kreditkartennummer"),
    "iban": words_of("iban"),
    "national_id": words_of(
        "ssn passport nino nif dni nie cpf cnpj bsn personnummer sin aadhaar steuerid socialsecurity nationalid taxid "
        "codicefiscale pesel nir curp rfc rut svnr sozialversicherungsnummer steuernummer ausweisnummer reisepass "
        "passnummer passeport pasaporte passaporte cnp oib egn ppsn tfn jmbg cedula fodselsnummer henkilotunnus hetu "
        "nhs снилс инн паспорт 身份证 身份證 身份证号 マイナンバー 주민등록번호"
    ),
    "username": words_of("username login nickname nick benutzername usuario utilisateur gebruikersnaam"),
    "format": words_of(
        "plate licenseplate numberplate kennzeichen matricula immatriculation targa nummerplade vin imei imsi"
    ),
    "first_name": words_of(
        "firstname forename givenname vorname prenom nombre middlename voornaam imie fornamn fornavn etunimi имя fname"
    ),
    "last_name": words_of(
        "lastname surname familyname nachname apellido apellidos maidenname familienname cognome achternaam sobrenome "
        "apelido nazwisko efternamn etternavn efternavn sukunimi prijmeni soyad soyadı фамилия lname"
    ),
    "name": words_of("fullname realname 姓名 氏名 名前 이름 성명 фио الاسم שם"),
}
_JOINED = {
    ("full", "name"): "name", ("nombre", "completo"): "name", ("nome", "completo"): "name", ("nom", "complet"): "name",
    ("imie", "nazwisko"): "name", ("vorname", "nachname"): "name", ("nachname", "vorname"): "name",
    ("first", "last"): "name", ("nom", "prenom"): "name", ("nombre", "apellidos"): "name",
    ("first", "name"): "first_name", ("given", "name"): "first_name", ("middle", "name"): "first_name",
    ("last", "name"): "last_name", ("family", "name"): "last_name", ("maiden", "name"): "last_name",
    ("user", "name"): "username", ("e", "mail"): "email", ("ip", "address"): "ip",
    ("ip", "addr"): "ip", ("social", "security"): "national_id", ("national", "id"): "national_id",
    ("tax", "id"): "national_id", ("passport", "number"): "national_id", ("credit", "card"): "card",
    ("codice", "fiscale"): "national_id", ("driver", "license"): "national_id", ("driver", "licence"): "national_id",
    ("card", "number"): "card", ("mail", "address"): "email", ("email", "address"): "email",
}  # fmt: skip
PEOPLE = words_of(
    "customer client patient employee person student contact guest passenger member owner driver author teacher doctor "
    "buyer seller applicant candidate manager father mother spouse child tenant subscriber holder donor player agent "
    "user legal physician nurse lawyer rep salesperson assignee requester recipient sender borrower beneficiary "
    "kunde patientin mitarbeiter ansprechpartner kontakt arzt fahrer schuler cliente paciente empleado contacto alumno "
    "medico patiente employe eleve medecin conducteur klant medewerker klient pacjent kund anstalld клиент пациент "
    "сотрудник 顧客 客户 患者 社員 员工 고객 환자"
)
"""Words for people; a column of one of these alone has names if its values look like names."""
_NAMES = words_of("name nome naam navn namn isim ad adı nimi nume nev jmeno nama ten 名字 اسم ชื่อ όνομα")
"""Words for a name of anything, in several languages."""
_ACTED = {"by", "to", "von", "par", "por", "da"}
"""Ends of names such as ``created_by`` and ``assigned_to``, whose columns hold accounts or names."""
_ACTS = words_of(
    "created updated modified assigned submitted reported entered approved signed handled edited changed closed opened "
    "uploaded posted registered requested sold erstellt geandert cree modifie creado"
)


def tokens_of(name: str) -> tuple[str, ...]:
    """Words of a column's name in lower case, without accents.

    >>> tokens_of("customerFirstName"), tokens_of("E-Mail"), tokens_of("Número de teléfono")
    (('customer', 'first', 'name'), ('e', 'mail'), ('numero', 'de', 'telefono'))
    """
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", unicodedata.normalize("NFC", name))
    return tuple(map(plain_word, re.findall(r"[^\W\d_]+", apart)))


def role_by_name(name: str) -> str | None:
    """Role that a column's name suggests.

    >>> [role_by_name(name) for name in ("Surname", "customer_name", "product_name", "IP address", "card_type")]
    ['last_name', 'name', None, 'ip', 'card']
    """
    words = tokens_of(name)
    for pair, role in _JOINED.items():
        if any(words[i : i + 2] == pair for i in range(len(words))):
            return role
    for role, known in _WORDS.items():
        if any(word in known for word in words):
            return role
    if words == ("nom",):
        return "last_name"  # French; "nom_produit" is none
    is_name = len(words) == 1 and words[0] in _NAMES
    return "name" if is_name or (words[-1:] == ("name",) and PEOPLE & set(words)) else None


def tells_of_people(name: str) -> bool:
    """Whether a column's name is a word for people, or says who did something, so that it may hold names.

    >>> tells_of_people("Patient"), tells_of_people("created_by"), tells_of_people("patient_age")
    (True, True, False)
    """
    words = tokens_of(name)
    if len(words) == 2 and words[0] in _ACTS and words[1] in _ACTED:
        return True
    return bool(words) and words[-1] in PEOPLE


def person_of(name: str) -> str:
    """Whose column this is: its name without the words of roles, so that ``buyer_name`` and ``buyer_mail`` agree.

    >>> person_of("buyer_name"), person_of("buyer_mail"), person_of("email")
    ('buyer', 'buyer', '')
    """
    parts = {part for pair in _JOINED for part in pair} | {word for known in _WORDS.values() for word in known}
    return " ".join(word for word in tokens_of(name) if word not in parts | {"name", "names", "number", "no", "id"})
