import type { Messages } from './en.ts'
import { createDateFormat } from './texts.ts'

/** Spanish, as mobile money in Latin America words it. */
export const spanish: Messages = {
  wording: 'es',
  allYouHave: 'todo su saldo',
  enterAmount: (to) => `Para: ${to}\nMonto, o todo:\n0. Atrás`,
  amountsIn: (unit) => `Montos en ${unit}`,
  noRate: (local) => `${local}: ahora no hay tasa.`,
  amountsNotIn: (local, unit) => `Sin tasa de ${local}: escriba en ${unit}, NO en ${local}`,
  sendAgain: 'Enviar otra vez',
  change: 'Cambiar',
  age: (minutes) => {
    if (minutes === 0) return 'Ahora mismo'
    return minutes < 60 ? `Hace ${minutes} min` : `Hace ${Math.floor(minutes / 60)} h`
  },
  repeated: (amount, to, age) =>
    age === undefined
      ? `¿Enviar ${amount}\nPara: ${to}?`
      : `Usted envió ${amount}\nPara: ${to}\n${age}. ¿Enviar otra vez?`,
  paidBefore: (payment, age) =>
    `${payment}\n${age}. No se envió nada más. Por favor, marque de nuevo.`,
  date: createDateFormat('ene feb mar abr may jun jul ago sep oct nov dic'),
  hasFailed: 'Un pago falló: vea 5',
  pin: {
    choose: 'Elija un PIN de 4 a 6 dígitos. Protege su dinero: no se lo diga a nadie.',
    again: 'Escriba otra vez el mismo PIN.',
    enter: {
      see: 'Escriba su PIN',
      change: 'Escriba su PIN actual',
      confirm: 'PIN para aceptar',
    },
    form: 'El PIN tiene 4 a 6 dígitos.',
    easy: 'Este PIN es fácil de adivinar.',
    differs: 'Los dos PIN no son iguales.',
    forgot: '¿Lo olvidó? Escriba 00 y luego 8.',
    wrong: (left) => `PIN incorrecto. Intentos restantes: ${left}.`,
    locked: {
      blocked:
        '3 PIN incorrectos: cuenta bloqueada. No se envió nada. Marque de nuevo y escriba 8 y luego 3: otro PIN en 24 horas.',
      unset: 'No tiene PIN. No se envió nada. Marque de nuevo para elegir uno.',
      dormant: (help) =>
        `Este número no se usó en 90 días. No se envió nada. ${help === undefined ? 'Pida a su proveedor que abra' : `Llame al ${help} para abrir`} la cuenta otra vez.`,
    },
    isBlocked: 'Bloqueada. Nuevo PIN: 8, luego 3',
    waits: (hours) => `Nuevo PIN en ${hours} h`,
    isSet: 'Su PIN está guardado.',
    chosen: 'Su PIN está guardado. Por favor, marque de nuevo.',
    unchanged: 'No se cambió nada. Por favor, marque de nuevo.',
    forgotten:
      'Podrá elegir otro PIN en 24 horas. Si antes se escribe el anterior, todo queda como está.',
    forgottenBlocked: 'Podrá elegir otro PIN en 24 horas.',
    requested: (time) =>
      `Podrá elegir otro PIN desde ${time}: marque entonces. Sin PIN puede recibir, no enviar. Pedirlo otra vez no cambia eso.`,
  },
  failed: (label) => `${label}: FALLÓ\nNo se movió dinero. Por favor, marque de nuevo.`,
  nothingMoved: 'No se movió dinero.',
  languageChosen: 'Su idioma ahora es el español. Por favor, marque de nuevo.',
  more: 'Más',
  back: 'Atrás',

  receipt: {
    number: (number) => `Ref: ${number}`,
    noFee: 'Comisión: ninguna',
    fee: (amount) => `Comisión: ${amount}`,
    balanceAfter: (amount) => `Saldo después: unos ${amount}`,
    owedAfter: (amount) => `Deberá: ${amount}`,
  },
  queued: 'en cola',
  queuedFor: (minutes: string) => `en cola, unos ${minutes} min`,

  unknownChoice: 'Por favor, elija una opción de la lista.',
  notSentYet: 'Aún no enviado.',
  askAgain: (mistake) => `${mistake} Intente de nuevo.`,
  badRecipient: {
    unknown_form: 'Dirección o número de teléfono no válido.',
    bad_checksum: 'Esta dirección tiene un error de escritura.',
    own_number: 'Este es su propio número.',
    own_account: 'Esta es su propia cuenta.',
    zero_address: 'La dirección cero no es de nadie: el dinero se pierde.',
    nobody: 'Esta dirección no es de nadie: el dinero se pierde.',
    bridge: 'Es el puente: así no se reciben BTC y el dinero se pierde.',
    contract: 'Esta dirección es un contrato de este servicio.',
  },
  badAmount: {
    not_a_number: 'Monto no válido, ejemplo 0.001.',
    not_local: 'Monto no válido, ejemplo 500.',
    zero: 'El monto debe ser mayor que 0.',
    too_fine: 'Máximo 18 dígitos después del punto.',
    too_large: 'Este monto es demasiado grande.',
  },
  tooManyMistakes: 'Demasiadas respuestas erróneas. No se envió nada. Por favor, marque de nuevo.',
  tooLittle: (min) => `El envío mínimo es ${min}.`,
  lowBalance: (balance) => `Su saldo es insuficiente: ${balance}.`,
  lowDebt: (owed) => `Solo debe ${owed}.`,
  sessionEnded: 'Esta sesión ha terminado. Por favor, marque de nuevo.',
  sessionClosed: 'Esta sesión ha terminado. No se envió nada. Por favor, marque de nuevo.',

  refused: {
    balance_too_low: (balance) =>
      `Su saldo es insuficiente: ${balance}. No se envió nada. Marque de nuevo para enviar menos.`,
    balanceBelowDebt: (owed, balance) =>
      `A pagar: ${owed}. Su saldo es insuficiente: ${balance}. No se envió nada. Marque de nuevo para pagar una parte.`,
    existing_loan: (owed) =>
      `Ya tiene un préstamo. Falta pagar: ${owed}. Marque de nuevo para pagarlo.`,
    no_loan: 'No tiene préstamo que pagar. Marque de nuevo para ver el menú.',
    repayment_too_large: (owed) =>
      `Solo debe ${owed}. No se envió nada. Marque de nuevo para pagar todo.`,
    no_liquidity: 'No se puede dar ningún préstamo ahora. Por favor, intente más tarde.',
    not_listed: 'Los préstamos no están abiertos a este número. Pregunte a su prestamista.',
    loan_limit: 'Tuvo un préstamo hace poco. Por favor, intente más tarde.',
    terms_changed:
      'Las condiciones del préstamo cambiaron. No se envió nada. Marque de nuevo en un minuto.',
    contract:
      'Esta dirección es un contrato, no una billetera. No se envió nada. Marque de nuevo para elegir otra.',
    invalid_recipient:
      'Este destinatario no puede recibir dinero. No se envió nada. Marque de nuevo para elegir otro.',
    token_refused:
      'El emisor de este dinero no permite este envío ahora. No se envió nada. Elija otra billetera, o intente más tarde.',
    paused:
      'Los préstamos y los retiros están en pausa. Aún puede enviar dinero y pagar. No se envió nada. Por favor, intente más tarde.',
    withdrawal_limit: (left) =>
      left === undefined
        ? 'No se puede retirar tanto ahora. No se envió nada. Por favor, intente más tarde.'
        : `Ahora solo se puede retirar ${left}. No se envió nada. Marque de nuevo para retirar menos.`,
    nothing_there: 'Su saldo es 0. No se envió nada. Marque de nuevo para ver el menú.',
    unknown: 'No es posible en este momento. No se envió nada. Por favor, intente más tarde.',
  },
  nothingSent: 'No se envió nada.',
  nothingWasSent: 'Servicio no disponible. No se envió nada. Por favor, intente más tarde.',
  walletChanged:
    'Esta billetera cambió o fue quitada. Si cambió, no paga a nadie por 24 horas. No se envió nada. Para anular: 8, luego 4.',
  tooManyDials: 'Demasiadas solicitudes de este teléfono. Espere un minuto y marque de nuevo.',
  unsettled:
    'Su pago en un agente aún se está completando. No se envió nada. Intente en unos 10 minutos.',
  tooManyOpen: (max) =>
    `Solo ${max} pagos a la vez. No se envió nada. Espere hasta que hayan llegado.`,
  tooManyToday: (max) =>
    `Solo ${max} envíos al día. No se envió nada. Por favor, intente más tarde.`,
  tooMuchToday: (left) =>
    `Puede enviar ${left} más en el día. No se envió nada. Marque de nuevo para enviar menos.`,
  tooManyWait: (minutes) =>
    `Hay demasiados pagos en espera. No se envió nada. Intente en unos ${minutes} minutos.`,
  feesTooHigh:
    'Las comisiones de la red están muy altas. No se envió nada. Por favor, intente más tarde.',
  cannotPayFees:
    'Los pagos están detenidos por un momento. No se envió nada. Por favor, intente más tarde.',
  paused: 'Los pagos están en pausa. No se envió nada. Por favor, intente más tarde.',
  held: (help) =>
    `Su cuenta está retenida. No se envió nada. ${help === undefined ? 'Pregunte a su proveedor' : `Llame al ${help}`}.`,
  unsent: 'Hasta ahora no se ha enviado, pero aún puede enviarse. Vea su saldo antes de repetir.',
  uncertain: 'Aún no se sabe si se envió. Revise su saldo antes de intentar de nuevo.',
  unavailable: 'Servicio no disponible. Por favor, intente más tarde.',
  unread: 'No disponible. Intente más tarde.',
  unlistedNumber: 'Este número de teléfono no se conoce. No se envió nada.',
  outOfService: 'Este servicio no está en funcionamiento.',
}
