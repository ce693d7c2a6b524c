import { spawnSync } from 'node:child_process'
import { openSync, readSync, writeSync } from 'node:fs'

// The process of run-small.ts: runs one program after the other, as its two pipes ask, until they end.
const [requests, answers] = [openSync(process.argv[2], 'r'), openSync(process.argv[3], 'w')]

/** As many bytes as asked for; undefined at the end. */
function read(length) {
  const bytes = Buffer.alloc(length)
  for (let at = 0; at < length;) {
    const count = readSync(requests, bytes, at, length - at, null)
    if (count === 0) return undefined
    at += count
  }
  return bytes
}

function write(bytes) {
  for (let at = 0; at < bytes.length;) at += writeSync(answers, bytes, at)
}

for (let size = read(4); size !== undefined; size = read(4)) {
  const { command, args, cwd, env, input: inputLength } = JSON.parse(String(read(size.readUInt32BE())))
  const input = inputLength === undefined ? undefined : read(inputLength)
  const { status, stdout, stderr, error } = spawnSync(command, args, { cwd, env, input, maxBuffer: 1 << 30 })
  const [out, err] = [stdout ?? Buffer.alloc(0), stderr ?? Buffer.alloc(0)]
  const head = Buffer.from(JSON.stringify({ status, out: out.length, err: err.length, error: error?.message }))
  const length = Buffer.alloc(4)
  length.writeUInt32BE(head.length)
  for (const part of [length, head, out, err]) write(part)
}
