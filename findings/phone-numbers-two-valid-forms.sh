#!/usr/bin/env bash
# Package: libphonenumber-js 1.13.16 (metadata "max"), on Node 20 and 24.
# Behaviour: after a renumbering, some countries keep both forms as valid mobile numbers, others only
# the new one. So for Gambia, Liberia and Gabon two different E.164 numbers name one subscriber and
# isValid() accepts both, while for Benin and Côte d'Ivoire it refuses the former form. A system that
# keys accounts by "a valid E.164 number" can open two accounts for one person.
# Seen: the table below, each line "country former=valid present=valid".
set -euo pipefail
dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT; cd "$dir"
npm init -y >/dev/null && npm install --silent --no-audit --no-fund libphonenumber-js@1.13.16 >/dev/null
cat > run.cjs <<'JS'
const { parsePhoneNumberFromString: parse } = require('libphonenumber-js/max')
const isMobile = (text) => { const n = parse(text); return Boolean(n && n.isValid() && n.getType() === 'MOBILE') }
for (const [country, former, present] of [
  ['Gambia', '+2205051234', '+220835051234'],
  ['Liberia', '+2315123456', '+231555123456'],
  ['Gabon', '+24106123456', '+24166123456'],
  ['Benin', '+22997123456', '+2290197123456'],
  ['Cote-d-Ivoire', '+22507123456', '+2250707123456'],
]) console.log(`${country} former=${isMobile(former)} present=${isMobile(present)}`)
JS
node run.cjs | tee seen
diff seen - <<'SEEN'
Gambia former=true present=true
Liberia former=true present=true
Gabon former=true present=true
Benin former=false present=true
Cote-d-Ivoire former=false present=true
SEEN
