#!/usr/bin/env bash
# Packages: viem 2.57.1, ethers 6.17.0, web3 4.16.0.
# Format: an address with Rootstock's checksum (EIP-1191, chain 31), as its wallets show it.
# Behaviour: the three clients disagree on this valid input. ethers throws; web3 says that it is no
# address; viem's strict isAddress refuses it, while getAddress takes it and returns other letters
# (the checksum of EIP-55), so the checksum of the input is never checked.
set -euo pipefail
dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT; cd "$dir"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund viem@2.57.1 ethers@6.17.0 web3@4.16.0 >/dev/null
cat > run.mjs <<'JS'
import { ethers } from 'ethers'
import { checksumAddress, getAddress, isAddress } from 'viem'
import { Web3 } from 'web3'
const plain = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed'
const text = checksumAddress(plain, 31)
console.log('input', text)
console.log('viem isAddress', isAddress(text))
console.log('viem getAddress', getAddress(text))
console.log('ethers isAddress', ethers.isAddress(text))
try { ethers.getAddress(text) } catch (error) { console.log('ethers getAddress', error.code, error.shortMessage) }
console.log('web3 isAddress', Web3.utils.isAddress(text))
JS
node run.mjs | tee seen
diff seen - <<'SEEN'
input 0x5aAeb6053F3e94c9b9A09F33669435E7EF1BEaEd
viem isAddress false
viem getAddress 0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed
ethers isAddress false
ethers getAddress INVALID_ARGUMENT bad address checksum
web3 isAddress false
SEEN
