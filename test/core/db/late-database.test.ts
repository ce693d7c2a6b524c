import { connect, createServer } from 'node:net'
import { once } from 'node:events'
import { describe, expect, inject, it } from 'vitest'
import { pino } from 'pino'
import { waitForDatabase } from '../../../src/app/wait-for-database.ts'
import { dialectFor, openDatabase } from '../../../src/core/db/database.ts'
import { freePort } from '../../harness/free-port.ts'

describe.skipIf(inject('postgresUrl') === '')('a server that starts before PostgreSQL', () => {
  it('waits for it, for a time or until it is to stop, and says so', async () => {
    const port = await freePort()
    const there = new URL(inject('postgresUrl'))
    const url = (user: string) => `postgres://${user}@127.0.0.1:${port}/postgres`
    const open = (user: string) =>
      openDatabase(dialectFor({ url: url(user), max_connections: 2, statementTimeoutMs: 5000 }, '.'))
    const lines: string[] = []
    const waiting = Promise.withResolvers<void>()
    const log = pino({ level: 'warn' }, { write: (line: string) => (waiting.resolve(), void lines.push(line)) })
    const never = new AbortController().signal
    const [database, unknown] = [open(there.username), open('nobody')]
    try {
      await expect(waitForDatabase(database, { log, seconds: 0, signal: never })).rejects.toMatchObject({
        kind: 'unavailable',
        cause: { code: 'ECONNREFUSED' },
      })
      expect(lines).toEqual([])
      const stopping = new AbortController()
      const stopped = waitForDatabase(database, { log, seconds: 600, signal: stopping.signal })
      await waiting.promise
      stopping.abort(new Error('the server stops'))
      await expect(stopped).rejects.toThrow('the server stops')
      expect(JSON.parse(lines[0]!)).toMatchObject({
        msg: 'the database cannot be reached; trying again',
        reason: expect.stringContaining('ECONNREFUSED'),
        secondsLeft: 600,
      })
      const found = waitForDatabase(database, { log, seconds: 600, signal: never })
      const proxy = createServer((socket) => {
        const to = connect(Number(there.port), there.hostname)
        socket.on('error', () => to.destroy()).pipe(to)
        to.on('error', () => socket.destroy()).pipe(socket)
      })
      await once(proxy.listen(port, '127.0.0.1'), 'listening')
      await found
      const before = lines.length
      await expect(waitForDatabase(unknown, { log, seconds: 600, signal: never })).rejects.toMatchObject({
        code: '28000',
      })
      expect(lines.length).toBe(before)
      await Promise.all([database.close(), unknown.close()])
      proxy.close()
      await once(proxy, 'close')
    } finally {
      await Promise.all([database.close(), unknown.close()])
    }
  })
})
