// The words with which a person stops, resumes or asks about texts, by language. A text counts only if it consists of one of
// them; upper case, accents and punctuation do not matter.
//
// Sources: the standard keywords of CTIA's Messaging Principles (English), which carriers in the US and Canada apply; ARRET
// beside STOP as Canada's rules ask for in French; "STOP SMS" and "STOP" of French marketing texts; RET of Turkey's registry of
// commercial messages (IYS); TD and 退订 of Chinese marketing texts. The others are the words that senders in the country print in
// "reply … to stop", and the imperative and infinitive of the verb for "unsubscribe". Left out on purpose, because they are
// ordinary answers: yes and no, "end" and "enough" (Ende, fin, fine, basta, koniec), and "para", "alt", "out".

type Words = { stop: string; start: string; help: string };

/** Separated by commas. */
export const opt_out_words: Record<string, Words> = {
  en: {
    stop: 'stop, stop all, stopall, stop sms, unsubscribe, cancel, end, quit, revoke, optout, opt out',
    start: 'start, yes, unstop',
    help: 'help, info',
  },
  de: {
    stop: 'stopp, stoppen, abmelden, abmeldung, abbestellen, austragen, keine sms mehr',
    start: 'starten, anmelden, abonnieren',
    help: 'hilfe',
  },
  es: {
    stop: 'baja, dar de baja, darme de baja, alto, parar, detener, cancelar, desuscribir, desuscribirme, no más mensajes',
    start: 'alta, iniciar, comenzar, empezar, reanudar',
    help: 'ayuda',
  },
  fr: {
    stop: 'arrêt, arrêter, arrêtez, désabonner, désabonnement, désinscrire, désinscription, me désinscrire, plus de sms',
    start: 'début, débuter, démarrer, commencer, réabonner',
    help: 'aide',
  },
  it: {
    stop: 'ferma, fermare, fermate, cancellami, disiscrivi, disiscrivimi, disiscrizione, rimuovimi, annulla iscrizione',
    start: 'inizia, iniziare, avvia, iscrivimi, riprendi',
    help: 'aiuto',
  },
  ja: {
    stop: '停止, 配信停止, 受信停止, 解除, 登録解除, 配信解除, 退会, ストップ, 中止',
    start: '開始, 再開, 配信開始, スタート',
    help: 'ヘルプ',
  },
  nl: {
    stop: 'stoppen, afmelden, afmelding, uitschrijven, geen sms meer',
    start: 'starten, aanmelden, inschrijven',
    help: 'hulp',
  },
  pl: {
    stop: 'wypisz, wypisz mnie, rezygnuję, rezygnacja, zatrzymaj, wyłącz, anuluj',
    start: 'wznów, zapisz mnie, włącz',
    help: 'pomoc',
  },
  pt: {
    stop: 'parar, pare, sair, cancelar, descadastrar, descadastro, remover, cancelar inscrição',
    start: 'iniciar, começar, retomar, voltar a receber',
    help: 'ajuda',
  },
  sv: {
    stop: 'stopp, stoppa, avregistrera, avsluta, avprenumerera, sluta',
    start: 'starta, börja, prenumerera',
    help: 'hjälp',
  },
  tr: {
    stop: 'dur, durdur, iptal, ret, çık, çıkış, abonelikten çık, listeden çık',
    start: 'başlat, başla, devam et',
    help: 'yardım',
  },
  zh: {
    stop: '停止, 退订, 退訂, 取消订阅, 取消訂閱, 拒收, td',
    start: '开始, 開始, 恢复, 恢復, 订阅, 訂閱',
    help: '帮助, 幫助',
  },
};
