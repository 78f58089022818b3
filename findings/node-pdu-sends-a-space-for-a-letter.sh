#!/usr/bin/env bash
# Package: node-pdu 2.1.1, which writes SMS for a GSM modem, on Node 20 and 24.
# Behaviour: it sends a text as UCS-2 only if a character is above U+00C0, and else in septets, where
# each character that its table lacks becomes a space, without an error. So the À of "À payer" is
# gone, and so is the section sign, which GSM 03.38 has: its place in the table holds the back
# quote, which phones show as a section sign. What the package parses again looks right for that
# one. Letters that GSM 03.38 has and that are above U+00C0, such as é, make a message UCS-2: 70
# characters and not 160.
# Seen: the table below, each line "text, the alphabet by its coding scheme, the text of a phone".
set -euo pipefail
dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT; cd "$dir"
npm init -y >/dev/null && npm install --silent --no-audit --no-fund node-pdu@2.1.1 >/dev/null
cat > run.cjs <<'JS'
const { Submit } = require('node-pdu')
// GSM 03.38 (3GPP TS 23.038, section 6.2.1), without the escape to its extension.
const alphabet = '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞ\x1bÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?' +
  '¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà'
function readSeptets(hex, count) {
  const bits = [...hex.match(/../g)].reverse().map((byte) => Number.parseInt(byte, 16).toString(2).padStart(8, '0')).join('')
  return Array.from({ length: count }, (_, index) => alphabet[Number.parseInt(bits.slice(-7 * (index + 1), bits.length - 7 * index), 2)]).join('')
}
for (const text of ['À payer', '5 §', '5 `', '20 °C', 'à payer']) {
  const message = new Submit('+254700000001', text)
  const [{ data, size }] = message.data.parts
  const isUcs2 = message.dataCodingScheme.textAlphabet === 2
  const shown = isUcs2 ? Buffer.from(data, 'hex').swap16().toString('utf16le') : readSeptets(data, size)
  console.log(`"${text}" ${isUcs2 ? 'UCS-2' : 'septets'} "${shown}"`)
}
JS
node run.cjs | tee seen
diff seen - <<'SEEN'
"À payer" septets "  payer"
"5 §" septets "5  "
"5 `" septets "5 §"
"20 °C" septets "20  C"
"à payer" UCS-2 "à payer"
SEEN
