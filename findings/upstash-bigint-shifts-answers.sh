#!/usr/bin/env bash
# Package: @upstash/redis 1.39.0, with automatic pipelining (on by default).
# Behaviour: a command with a BigInt argument throws, as JSON has none, but keeps its place in the
# pipeline of its moment. The answers behind it move up by one: `y` below gets the answer of `z`, and
# `z` throws an error about "undefined". With automatic pipelining off each call has its own answer.
# The server is a few lines that answer each command with its own words, as the REST protocol does.
set -euo pipefail
dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT; cd "$dir"
npm init -y >/dev/null && npm install --silent --no-audit --no-fund @upstash/redis@1.39.0 >/dev/null
cat > run.mjs <<'JS'
import { createServer } from 'node:http'
import { Redis } from '@upstash/redis'
const answer = (command) => ({ result: `answer to ${command.join(' ')}` })
const server = createServer(async (request, response) => {
  let body = ''
  for await (const part of request) body += part
  const commands = JSON.parse(body)
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify(Array.isArray(commands[0]) ? commands.map(answer) : answer(commands)))
})
await new Promise((done) => server.listen(0, '127.0.0.1', done))
const url = `http://127.0.0.1:${server.address().port}`
for (const enableAutoPipelining of [true, false]) {
  const redis = new Redis({ url, token: 'none', responseEncoding: false, enableTelemetry: false, retry: false, enableAutoPipelining })
  const set = async (key, value) => redis.set(key, value)
  const calls = { x: set('x', '1'), big: set('n', 10n), y: set('y', '2'), z: set('z', '3') }
  for (const [name, call] of Object.entries(calls)) calls[name] = call.catch((error) => `throws: ${error.message}`)
  console.log(`automatic pipelining ${enableAutoPipelining}`)
  for (const [name, call] of Object.entries(calls)) console.log(`${name}: ${await call}`)
}
server.close()
JS
node run.mjs | tee seen
diff seen - <<'SEEN'
automatic pipelining true
x: answer to set x 1
big: throws: Do not know how to serialize a BigInt
y: answer to set z 3
z: throws: Cannot read properties of undefined (reading 'error')
automatic pipelining false
x: answer to set x 1
big: throws: Do not know how to serialize a BigInt
y: answer to set y 2
z: answer to set z 3
SEEN
