// The words with which a person stops, resumes or asks about texts, by language. A text counts only if it consists of one of
// them; upper case, accents and punctuation do not matter. Each language also has the answers, in which STOP and START are the
// words that carriers know too.
//
// Sources: the standard keywords of CTIA's Messaging Principles (English), which carriers in the US and Canada apply; ARRET
// beside STOP as Canada's rules ask for in French; "STOP SMS" and "STOP" of French marketing texts; RET of Turkey's registry of
// commercial messages (IYS); TD and 退订 of Chinese marketing texts. The others are the words that senders in the country print in
// "reply … to stop", and the imperative and infinitive of the verb for "unsubscribe". Left out on purpose, because they are
// ordinary answers: yes and no, "end" and "enough" (Ende, fin, fine, basta, koniec), and "para", "alt", "out".

export type OptOutKeyword = 'stop' | 'start' | 'help';
type Words = Record<OptOutKeyword, string> & {
  /** One segment each: at most 160 characters of GSM-7, or 70 of another alphabet. */
  answers: Record<OptOutKeyword, string>;
  /** Phones of these countries mean this language by a word of several languages. */
  calling_codes: string;
};

/** Words and calling codes are separated by commas. */
export const opt_out_words = {
  en: {
    stop: 'stop, stop all, stopall, stop sms, unsubscribe, cancel, end, quit, revoke, optout, opt out',
    start: 'start, yes, unstop',
    help: 'help, info',
    answers: {
      stop: 'You will get no more texts from this number. Reply START to get them again.',
      start: 'You will get texts from this number again. Reply STOP to stop them.',
      help: 'This is an automated service. Reply STOP to get no more texts from this number.',
    },
    calling_codes: '',
  },
  de: {
    stop: 'stopp, stoppen, abmelden, abmeldung, abbestellen, austragen, keine sms mehr',
    start: 'starten, anmelden, abonnieren',
    help: 'hilfe',
    answers: {
      stop: 'Sie erhalten keine SMS mehr von dieser Nummer. Antworten Sie START, um wieder welche zu erhalten.',
      start: 'Sie erhalten wieder SMS von dieser Nummer. Antworten Sie STOP, um keine mehr zu erhalten.',
      help: 'Dies ist ein automatischer Dienst. Antworten Sie STOP, um keine SMS mehr von dieser Nummer zu erhalten.',
    },
    calling_codes: '49, 43, 41, 423, 352',
  },
  es: {
    stop: 'baja, dar de baja, darme de baja, alto, parar, detener, cancelar, desuscribir, desuscribirme, no más mensajes',
    start: 'alta, iniciar, comenzar, empezar, reanudar',
    help: 'ayuda',
    answers: {
      stop: 'Ya no le enviaremos mensajes desde este remitente. Para volver a recibirlos, responda START.',
      start: 'Vuelve a recibir mensajes de este remitente. Para no recibirlos, responda STOP.',
      help: 'Este es un servicio automatizado. Para no recibir mensajes de este remitente, responda STOP.',
    },
    calling_codes: '34, 52, 54, 56, 57, 51',
  },
  fr: {
    stop: 'arrêt, arrêter, arrêtez, désabonner, désabonnement, désinscrire, désinscription, me désinscrire, plus de sms',
    start: 'début, débuter, démarrer, commencer, réabonner',
    help: 'aide',
    answers: {
      stop: 'Vous ne recevrez plus de SMS de ce numéro. Répondez START pour en recevoir de nouveau.',
      start: 'Vous recevrez de nouveau des SMS de ce numéro. Répondez STOP pour ne plus en recevoir.',
      help: 'Ceci est un service automatique. Répondez STOP pour ne plus recevoir de SMS de ce numéro.',
    },
    calling_codes: '33',
  },
  it: {
    stop: 'ferma, fermare, fermate, cancellami, disiscrivi, disiscrivimi, disiscrizione, rimuovimi, annulla iscrizione',
    start: 'inizia, iniziare, avvia, iscrivimi, riprendi',
    help: 'aiuto',
    answers: {
      stop: 'Non riceverai più SMS da questo numero. Rispondi START per riceverli di nuovo.',
      start: 'Riceverai di nuovo SMS da questo numero. Rispondi STOP per non riceverli più.',
      help: 'Questo è un servizio automatico. Rispondi STOP per non ricevere più SMS da questo numero.',
    },
    calling_codes: '39',
  },
  ja: {
    stop: '停止, 配信停止, 受信停止, 解除, 登録解除, 配信解除, 退会, ストップ, 中止',
    start: '開始, 再開, 配信開始, スタート',
    help: 'ヘルプ',
    answers: {
      stop: 'この番号からのSMSを停止しました。再開するにはSTARTと返信してください。',
      start: 'この番号からのSMSを再開しました。停止するにはSTOPと返信してください。',
      help: 'これは自動サービスです。SMSを停止するにはSTOPと返信してください。',
    },
    calling_codes: '81',
  },
  nl: {
    stop: 'stoppen, afmelden, afmelding, uitschrijven, geen sms meer',
    start: 'starten, aanmelden, inschrijven',
    help: 'hulp',
    answers: {
      stop: 'U krijgt geen sms meer van dit nummer. Antwoord START om ze weer te krijgen.',
      start: 'U krijgt weer sms van dit nummer. Antwoord STOP om ze niet meer te krijgen.',
      help: 'Dit is een automatische dienst. Antwoord STOP om geen sms meer van dit nummer te krijgen.',
    },
    calling_codes: '31, 32, 597',
  },
  pl: {
    stop: 'wypisz, wypisz mnie, rezygnuję, rezygnacja, zatrzymaj, wyłącz, anuluj',
    start: 'wznów, zapisz mnie, włącz',
    help: 'pomoc',
    answers: {
      stop: 'Koniec SMS-ów z tego numeru. Odpowiedz START, aby je wznowić.',
      start: 'Wznawiamy SMS-y z tego numeru. Odpowiedz STOP, aby je zatrzymać.',
      help: 'To automatyczna usługa. Odpowiedz STOP, aby nie dostawać SMS-ów.',
    },
    calling_codes: '48',
  },
  pt: {
    stop: 'parar, pare, sair, cancelar, descadastrar, descadastro, remover, cancelar inscrição',
    start: 'iniciar, começar, retomar, voltar a receber',
    help: 'ajuda',
    answers: {
      stop: 'Este remetente vai parar de enviar mensagens. Para voltar a receber, responda START.',
      start: 'Este remetente volta a enviar mensagens. Para parar de receber, responda STOP.',
      help: 'Este remetente responde automaticamente. Para parar de receber mensagens, responda STOP.',
    },
    calling_codes: '351, 55, 244, 258',
  },
  sv: {
    stop: 'stopp, stoppa, avregistrera, avsluta, avprenumerera, sluta',
    start: 'starta, börja, prenumerera',
    help: 'hjälp',
    answers: {
      stop: 'Du får inga fler sms från det här numret. Svara START för att få dem igen.',
      start: 'Du får sms från det här numret igen. Svara STOP för att slippa dem.',
      help: 'Det här är en automatisk tjänst. Svara STOP för att inte få fler sms från det här numret.',
    },
    calling_codes: '46',
  },
  tr: {
    stop: 'dur, durdur, iptal, ret, çık, çıkış, abonelikten çık, listeden çık',
    start: 'başlat, başla, devam et',
    help: 'yardım',
    answers: {
      stop: 'Bu numaradan SMS almayacaksınız. Yeniden almak için START yazın.',
      start: 'Bu numaradan yine SMS alacaksınız. Durdurmak için STOP yazın.',
      help: 'Bu otomatik bir hizmettir. SMS almamak için STOP yazın.',
    },
    calling_codes: '90',
  },
  zh: {
    stop: '停止, 退订, 退訂, 取消订阅, 取消訂閱, 拒收, td',
    start: '开始, 開始, 恢复, 恢復, 订阅, 訂閱',
    help: '帮助, 幫助',
    answers: {
      stop: '您将不再收到此号码的短信。如需恢复，请回复START。',
      start: '您将重新收到此号码的短信。如需停止，请回复STOP。',
      help: '这是自动服务。如需停止接收此号码的短信，请回复STOP。',
    },
    calling_codes: '86, 852, 853, 886, 65',
  },
} as const satisfies Record<string, Words>;
export type OptOutLanguage = keyof typeof opt_out_words;
