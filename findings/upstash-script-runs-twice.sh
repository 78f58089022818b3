#!/usr/bin/env bash
# Package: @upstash/redis 1.39.0, `createScript`, with automatic pipelining off.
# Behaviour: `exec` sends EVALSHA, and EVAL where the error says that the server does not have the
# script. It looks for "noscript" in the whole message, which ends with the command as it was sent.
# So where an argument or a key has that word (a stored page may have the HTML element), a script
# that the server knows, and that ended with an error of its own, runs a second time. Redis takes
# nothing back of what a script wrote before its error: here one `exec` adds two to the counter.
# With automatic pipelining, which is on by default, the message leaves the command out, and it runs
# once. The server is a few lines that count as such a script does, and end it with its error.
set -euo pipefail
dir=$(mktemp -d); trap 'rm -rf "$dir"' EXIT; cd "$dir"
npm init -y >/dev/null && npm install --silent --no-audit --no-fund @upstash/redis@1.39.0 >/dev/null
cat > run.mjs <<'JS'
import { createServer } from 'node:http'
import { Redis } from '@upstash/redis'
const source = "redis.call('INCR', KEYS[1]) return redis.error_reply('ERR the page is too long')"
let counter = 0
let sent = []
const run = ([name]) => {
  counter += 1
  sent.push(name)
  return { error: 'ERR the page is too long' }
}
const server = createServer(async (request, response) => {
  let body = ''
  for await (const part of request) body += part
  const commands = JSON.parse(body)
  const isPipeline = Array.isArray(commands[0])
  response.statusCode = isPipeline ? 200 : 400
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify(isPipeline ? commands.map(run) : run(commands)))
})
await new Promise((done) => server.listen(0, '127.0.0.1', done))
const url = `http://127.0.0.1:${server.address().port}`
for (const enableAutoPipelining of [false, true]) {
  for (const page of ['<b>Hello</b>', '<noscript>Hello</noscript>']) {
    ;[counter, sent] = [0, []]
    const redis = new Redis({ url, token: 'none', enableTelemetry: false, retry: false, enableAutoPipelining })
    await redis.createScript(source).exec(['pages'], [page]).catch(() => undefined)
    console.log(`automatic pipelining ${enableAutoPipelining}, ${page}: ${sent.join(', ')}; the counter is ${counter}`)
  }
}
server.close()
JS
node run.mjs | tee seen
diff seen - <<'SEEN'
automatic pipelining false, <b>Hello</b>: evalsha; the counter is 1
automatic pipelining false, <noscript>Hello</noscript>: evalsha, eval; the counter is 2
automatic pipelining true, <b>Hello</b>: evalsha; the counter is 1
automatic pipelining true, <noscript>Hello</noscript>: evalsha; the counter is 1
SEEN
