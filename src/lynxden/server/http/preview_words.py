"""What link previews say, in the languages of the page."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Words:
    about: str
    invited: str
    invited_text: str
    table: str
    join: str
    watch: str
    game: str
    game_text: str
    replay: str
    result: str
    player: str
    player_text: str
    picture: str
    editions: tuple[str, ...]
    """The names of `EDITIONS`, as the page has them."""
    at: str = "{name} · Lynxden"


EDITIONS = ("classic", "basic", "advanced", "expert", "duel")

WORDS = {
    "en": Words(
        about="Play the card games Linko and Blocco with friends or bots. Free, no account needed.",
        invited="You’re invited to a game",
        invited_text="Open the link to take a seat at Lynxden. No account needed.",
        table="A table of {game}",
        join="{names}. Free seats: {free}. Open the link to join.",
        watch="{names}. Open the link to watch.",
        game="A game at Lynxden",
        game_text="Watch the replay, move by move.",
        replay="{game}: the replay",
        result="{scores}. Watch it move by move.",
        player="A player at Lynxden",
        player_text="Games and ratings.",
        picture="A lynx and a fan of cards",
        at="{name} at Lynxden",
        editions=("Classic", "Basic", "Advanced", "Expert", "Duel"),
    ),
    "de": Words(
        about="Spiel die Kartenspiele Linko und Blocco mit Freunden oder Bots. Kostenlos und ohne Konto.",
        invited="Du bist zu einer Partie eingeladen",
        invited_text="Öffne den Link und nimm Platz im Lynxden. Ein Konto brauchst du nicht.",
        table="Ein Tisch {game}",
        join="{names}. Freie Plätze: {free}. Öffne den Link, um mitzuspielen.",
        watch="{names}. Öffne den Link, um zuzuschauen.",
        game="Eine Partie auf Lynxden",
        game_text="Sieh sie dir Zug für Zug an.",
        replay="{game}: das Replay",
        result="{scores}. Sieh es dir Zug für Zug an.",
        player="Jemand, der auf Lynxden spielt",
        player_text="Partien und Wertungen.",
        picture="Ein Luchs und ein Fächer aus Karten",
        editions=("Klassisch", "Einstieg", "Fortgeschritten", "Experte", "Duell"),
    ),
    "fr": Words(
        about="Joue aux jeux de cartes Linko et Blocco avec des amis ou des bots. Gratuit et sans compte.",
        invited="Tu es invité à une partie",
        invited_text="Ouvre le lien et prends place sur Lynxden. Sans compte.",
        table="Une table de {game}",
        join="{names}. Places libres : {free}. Ouvre le lien pour jouer.",
        watch="{names}. Ouvre le lien pour regarder.",
        game="Une partie sur Lynxden",
        game_text="Revois-la coup par coup.",
        replay="{game} : la partie à revoir",
        result="{scores}. Revois-la coup par coup.",
        player="Quelqu’un qui joue sur Lynxden",
        player_text="Parties et classements.",
        picture="Un lynx et un éventail de cartes",
        editions=("Classique", "Découverte", "Avancé", "Expert", "Duel"),
    ),
    "it": Words(
        about="Gioca ai giochi di carte Linko e Blocco con gli amici o con i bot. Gratis e senza account.",
        invited="Hai un invito a giocare",
        invited_text="Apri il link e siediti al tavolo su Lynxden. Senza account.",
        table="Un tavolo di {game}",
        join="{names}. Posti liberi: {free}. Apri il link per giocare.",
        watch="{names}. Apri il link per guardare.",
        game="Una partita su Lynxden",
        game_text="Rivedila mossa per mossa.",
        replay="{game}: il replay",
        result="{scores}. Rivedila mossa per mossa.",
        player="Qualcuno che gioca su Lynxden",
        player_text="Partite e classifiche.",
        picture="Una lince e un ventaglio di carte",
        editions=("Classica", "Base", "Avanzata", "Per esperti", "Duello"),
    ),
    "pl": Words(
        about="Graj w gry karciane Linko i Blocco ze znajomymi albo z botami. Za darmo i bez konta.",
        invited="Masz zaproszenie do gry",
        invited_text="Otwórz link i usiądź do stołu na Lynxden. Bez konta.",
        table="Stół: {game}",
        join="{names}. Wolne miejsca: {free}. Otwórz link, żeby zagrać.",
        watch="{names}. Otwórz link, żeby popatrzeć.",
        game="Gra na Lynxden",
        game_text="Obejrzyj ją ruch po ruchu.",
        replay="{game}: powtórka",
        result="{scores}. Obejrzyj ją ruch po ruchu.",
        player="Ktoś, kto gra na Lynxden",
        player_text="Gry i rankingi.",
        picture="Ryś i wachlarz kart",
        editions=("Klasyczny", "Podstawowy", "Zaawansowany", "Ekspercki", "Pojedynek"),
    ),
    "ko": Words(
        about="카드 게임 링코와 블로코를 친구나 봇과 함께 즐겨요. 무료이고 계정도 필요 없어요.",
        invited="게임에 초대받았어요",
        invited_text="링크를 열고 Lynxden에 앉으세요. 계정은 필요 없어요.",
        table="{game} 테이블",
        join="{names}. 빈자리: {free}. 링크를 열고 함께해요.",
        watch="{names}. 링크를 열고 구경해요.",
        game="Lynxden에서 한 게임",
        game_text="한 수씩 다시 볼 수 있어요.",
        replay="{game}: 다시 보기",
        result="{scores}. 한 수씩 다시 볼 수 있어요.",
        player="Lynxden에서 노는 사람",
        player_text="게임과 점수.",
        picture="스라소니와 펼친 카드",
        editions=("클래식", "기본", "고급", "전문가", "듀얼"),
    ),
}


def language_of(accepted: str) -> str:
    """The language of ours that a reader likes best, by the header Accept-Language; else English."""
    best, found = 0.0, "en"
    for part in accepted.split(","):
        tag, _, more = part.strip().partition(";")
        language = tag.strip().lower().partition("-")[0]
        try:
            weight = float(more.strip().removeprefix("q=") or 1)
        except ValueError:
            continue
        if language in WORDS and weight > best:
            best, found = weight, language
    return found
