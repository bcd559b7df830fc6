"""The codes of a listing in words."""

from tradeboard.cards.rules import words
from tradeboard.core.messages import Message, message

# A code of condition on a have-line says how the card is, on a want-line how at least;
# who takes a card as bad as D says nothing there.
CONDITIONS = words.CONDITIONS
LEAST_CONDITIONS: dict[str, Message] = {
    "": message("問わない"),
    **{code: words.LEAST_CONDITIONS[code] for code in "ABC"},
}
LANGUAGES = words.LANGUAGES

REACH: dict[str, Message] = {
    "domestic": message("国内どこでも"),
    "abroad": message("海外も"),
}

# What a photo shows; the first is what the board shows.
SHOTS: dict[str, Message] = {
    "front": message("おもて面"),
    "back": message("裏面"),
    "corner_tl": message("左上の角"),
    "corner_tr": message("右上の角"),
    "corner_bl": message("左下の角"),
    "corner_br": message("右下の角"),
    "parcel": message("発送に使う封筒・箱"),
    "other": message("その他"),
}

CORNERS = frozenset({"corner_tl", "corner_tr", "corner_bl", "corner_br"})

# ISO 3166-2:JP, without its prefix.
PLACES: dict[str, Message] = {
    "01": message("北海道"),
    "02": message("青森県"),
    "03": message("岩手県"),
    "04": message("宮城県"),
    "05": message("秋田県"),
    "06": message("山形県"),
    "07": message("福島県"),
    "08": message("茨城県"),
    "09": message("栃木県"),
    "10": message("群馬県"),
    "11": message("埼玉県"),
    "12": message("千葉県"),
    "13": message("東京都"),
    "14": message("神奈川県"),
    "15": message("新潟県"),
    "16": message("富山県"),
    "17": message("石川県"),
    "18": message("福井県"),
    "19": message("山梨県"),
    "20": message("長野県"),
    "21": message("岐阜県"),
    "22": message("静岡県"),
    "23": message("愛知県"),
    "24": message("三重県"),
    "25": message("滋賀県"),
    "26": message("京都府"),
    "27": message("大阪府"),
    "28": message("兵庫県"),
    "29": message("奈良県"),
    "30": message("和歌山県"),
    "31": message("鳥取県"),
    "32": message("島根県"),
    "33": message("岡山県"),
    "34": message("広島県"),
    "35": message("山口県"),
    "36": message("徳島県"),
    "37": message("香川県"),
    "38": message("愛媛県"),
    "39": message("高知県"),
    "40": message("福岡県"),
    "41": message("佐賀県"),
    "42": message("長崎県"),
    "43": message("熊本県"),
    "44": message("大分県"),
    "45": message("宮崎県"),
    "46": message("鹿児島県"),
    "47": message("沖縄県"),
    "abroad": message("海外"),
}
