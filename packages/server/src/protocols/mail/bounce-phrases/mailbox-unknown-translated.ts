// Phrases in languages other than English for "this mailbox does not exist".

/** Exchange, Gmail, Domino and national providers translate their bounce messages. */
export const mailbox_unknown_translated = `
# German
benutzer unbekannt
unbekannter benutzer
empfanger unbekannt
adressat unbekannt
unbekannter empfanger
empfanger existiert nicht
empfanger nicht gefunden
empfangers nicht gefunden
empfangers wurde * nicht gefunden
adresse unbekannt
adresse existiert nicht
adresse * existiert nicht
adresse nicht gefunden
adresse * nicht gefunden
adresse ist ungultig
adresse ungultig
postfach existiert nicht
postfach * existiert nicht
postfach nicht vorhanden
kein postfach
konto existiert nicht
kein benutzer mit
teilnehmer unbekannt
nicht im domino verzeichnis
# French
utilisateur inconnu
destinataire inconnu
adresse inconnue
adresse introuvable
adresse * introuvable
adresse * est introuvable
adresse * n a pas ete trouvee
adresse * n existe pas
adresse invalide
boite * inexistante
boite * n existe pas
boite inconnue
boite aux lettres introuvable
compte inexistant
compte inconnu
compte * n existe pas
utilisateur * n existe pas
destinataire * n existe pas
destinataire invalide
adresse d au moins un destinataire invalide
destinataire introuvable
non repertorie dans
# Spanish
usuario desconocido
usuario no existe
usuario * no existe
usuario inexistente
no existe el usuario
no existe ese usuario
no existe dicha persona
no existe la cuenta
no existe la direccion
no existe el buzon
cuenta no existe
cuenta * no existe
cuenta inexistente
cuenta de correo no existe
direccion * no existe
direccion no encontrada
direccion * no encontrada
direccion * no se encontro
direccion * no se ha encontrado
no se ha encontrado la direccion
no se encontro la direccion
no se encontro el destinatario
destinatario desconocido
destinatario inexistente
destinatario * no existe
buzon * no existe
buzon desconocido
no se encuentra en el directorio
# Portuguese
usuario desconhecido
utilizador desconhecido
usuario nao existe
usuario * nao existe
usuario nao encontrado
usuario invalido
destinatario desconhecido
destinatario nao encontrado
destinatario inexistente
destinatario * nao existe
endereco nao encontrado
endereco * nao foi encontrado
endereco * nao existe
endereco desconhecido
conta inexistente
conta nao existe
conta * nao existe
caixa postal inexistente
caixa * nao existe
# Italian
utente sconosciuto
utente inesistente
utente non trovato
utente * non esiste
nessun utente
destinatario sconosciuto
destin sconosciuto
destinatario errato
destinatario inesistente
destinatario non trovato
destinatario * non esiste
indirizzo inesistente
indirizzo sconosciuto
indirizzo non trovato
indirizzo * non trovato
indirizzo * non e stato trovato
impossibile trovare l indirizzo
indirizzo * non esiste
casella inesistente
casella * non esiste
casella * inesistente
account inesistente
# Dutch
gebruiker onbekend
onbekende gebruiker
gebruiker bestaat niet
gebruiker * bestaat niet
geadresseerde onbekend
ontvanger onbekend
adres niet gevonden
adres * niet gevonden
adres * is niet gevonden
adres bestaat niet
mailbox bestaat niet
postbus bestaat niet
# Swedish, Danish, Norwegian, Finnish
okand anvandare
anvandaren finns inte
anvandaren * finns inte
okand mottagare
adressen hittades inte
adressen * hittades inte
adressen finns inte
mottagaren * hittades inte
ukendt bruger
brugeren findes ikke
brugeren eksisterer ikke
ukendt modtager
adressen blev ikke fundet
adressen * blev ikke fundet
adressen findes ikke
ukjent bruker
brukeren finnes ikke
ukjent mottaker
adressen ble ikke funnet
adressen * ble ikke funnet
tuntematon kayttaja
kayttajaa ei ole
osoitetta ei loydy
osoitetta * ei loytynyt
vastaanottajaa ei loydy
# Polish, Czech, Slovak, Hungarian, Romanian
nieznany uzytkownik
uzytkownik nieznany
uzytkownik nie istnieje
nie ma takiego uzytkownika
nie ma takiego konta
nieznany odbiorca
nieznany adresat
nie znaleziono adresu
nie znaleziono * adresu
adres nie istnieje
adres * nie istnieje
konto nie istnieje
konto * nie istnieje
konto niedostepne
skrzynka nie istnieje
neznamy uzivatel
uzivatel neexistuje
uzivatel * neexistuje
neznamy prijemce
adresa nenalezena
adresa * nebyla nalezena
adresa neexistuje
schranka neexistuje
neznamy pouzivatel
pouzivatel neexistuje
ismeretlen felhasznalo
nincs ilyen felhasznalo
ismeretlen cimzett
a cim nem talalhato
nem letezo
utilizator necunoscut
utilizatorul nu exista
adresa nu exista
adresa nu a fost gasita
destinatar necunoscut
# Russian, Ukrainian, Bulgarian
пользователь не найден
пользователь * не найден
пользователь не существует
пользователя не существует
неизвестный пользователь
нет такого пользователя
нет такого ящика
такого пользователя нет
получатель не найден
неизвестный получатель
адрес не найден
адрес * не найден
адрес не существует
адрес * не существует
адресат не найден
ящик не найден
ящик не существует
ящика не существует
почтовый ящик * не существует
учетная запись не существует
користувача не знайдено
невідомий користувач
адресу не знайдено
няма такъв потребител
непознат потребител
# Greek, Turkish
αγνωστος χρηστης
ο χρηστης δεν υπαρχει
η διευθυνση δεν βρεθηκε
bilinmeyen kullanici
bilinmeyen alici
kullanici bulunamadi
adres bulunamadi
adresi bulunamadi
boyle bir kullanici yok
alici bulunamadi
# Japanese
ユーザーが見つかりません
ユーザが見つかりません
ユーザーは存在しません
ユーザは存在しません
ディレクトリには見つかりません
ディレクトリのリストにありません
アドレスが見つかりません
アドレスは見つかりません
アドレスが見つかりませんでした
アドレスが存在しません
アドレスは存在しません
アドレスが存在しない
メールアドレスが存在しません
メールアドレスは存在しません
アドレス不明
宛先不明
宛先が見つかりません
宛先が存在しません
宛先のメールアドレスが見つから
宛先のメールアドレスは存在しません
受信者が見つかりません
受信者は存在しません
# Chinese
用户不存在
用戶不存在
用户未找到
找不到用户
找不到收件人
收件人不存在
收件人地址不存在
收件人邮件地址 * 不存在
邮箱不存在
邮件地址不存在
郵箱不存在
信箱不存在
帐号不存在
帐户不存在
账号不存在
账户不存在
帳號不存在
无此用户
無此使用者
無此用戶
查无此人
查無此人
没有这个用户
地址不存在
找不到地址
未找到地址
找不到您输入的
找不到您輸入的
地址不正确
# Korean
존재하지 않는 사용자
존재하지 않는 메일
존재하지 않는 이메일
존재하지 않는 계정
존재하지 않는 주소
존재하지 않는 수신자
존재하지 않습니다
수신자를 찾을 수 없
받는 사람을 찾을 수 없
주소를 찾을 수 없
사용자를 찾을 수 없
없는 사용자
# Vietnamese, Indonesian, Thai
khong tim thay dia chi
dia chi * khong ton tai
nguoi dung khong ton tai
alamat tidak ditemukan
pengguna tidak dikenal
ไม่พบที่อยู่
ไม่พบผู้ใช้
`;
