import { Agent } from 'node:https'
import { writeFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startIngot, temporaryFolder } from '../../harness/process.ts'
import { startServer } from '../../harness/server.ts'
import { createLogger } from '../../../src/core/platform/logger.ts'
import { certificateFolder, type CertificateFolder, send, serialIn, serialOf } from './fixture.ts'

let folder: CertificateFolder
beforeAll(async () => {
  folder = await certificateFolder()
})
afterAll(() => folder.remove())

describe('a certificate that changes', () => {
  it('is loaded without a failed request', async () => {
    const server = await startServer({ settings: folder.settings, tuning: { tls: { checkEveryMs: 20 } } })
    const agent = new Agent({ keepAlive: true, ca: folder.authority.pem })
    let running = true
    let answered = 0
    const load = async (own: Agent | false): Promise<void> => {
      while (running) {
        const { status } = await send(`${server.url}/api/v1/version`, { ca: folder.authority.pem, agent: own })
        expect(status).toBe(200)
        answered++
      }
    }
    try {
      const loads = [agent, agent, false as const, false as const].map(load)
      for (let round = 0; round < 5; round++) {
        const next = await folder.authority.issue()
        folder.write(next)
        const before = answered
        await expect.poll(() => serialOf(server.url)).toBe(serialIn(next.cert))
        await expect.poll(() => answered).toBeGreaterThan(before + 20)
      }
      running = false
      await Promise.all(loads)
    } finally {
      running = false
      agent.destroy()
      await server.close()
    }
  })

  it('does not replace the old one if it is invalid, and is reported once', async () => {
    const lines: string[] = []
    const log = createLogger('warn')
    log.error = (...[, text]: unknown[]) => void lines.push(String(text))
    const good = await folder.authority.issue()
    folder.write(good)
    const server = await startServer({ settings: folder.settings, tuning: { tls: { checkEveryMs: 20 } }, log })
    try {
      folder.write({ cert: (await folder.authority.issue()).cert })
      await expect.poll(() => lines).toEqual([expect.stringContaining('goes on with the old one')])
      folder.write({ key: 'no key' })
      await expect.poll(() => lines.length).toBe(2)
      expect(await serialOf(server.url)).toBe(serialIn(good.cert))
      const next = await folder.authority.issue()
      folder.write(next)
      await expect.poll(() => serialOf(server.url)).toBe(serialIn(next.cert))
      expect(lines).toHaveLength(2)
    } finally {
      await server.close()
    }
  })

  it('does not replace the old one if it has expired; that the old one expired is reported once', async () => {
    const lines: string[] = []
    const log = createLogger('warn')
    log.error = (...said: unknown[]) =>
      void lines.push(`${String((said[0] as { err: unknown }).err)} ${String(said[1])}`)
    log.warn = (text: unknown) => void lines.push(String(text))
    let ahead = 0
    const good = await folder.authority.issue({ to: 30 })
    folder.write(good)
    const clock = { now: () => Date.now() + ahead }
    const server = await startServer({ settings: folder.settings, tuning: { tls: { checkEveryMs: 20 } }, log, clock })
    try {
      folder.write(await folder.authority.issue({ from: -30, to: -1 }))
      await expect.poll(() => lines).toEqual([expect.stringMatching(/it expired at .* goes on with the old one/)])
      expect(await serialOf(server.url)).toBe(serialIn(good.cert))
      ahead = 31 * 24 * 60 * 60 * 1000
      await expect.poll(() => lines.slice(1)).toEqual([expect.stringMatching(/the certificate expired at/)])
      expect(await serialOf(server.url)).toBe(serialIn(good.cert))
      const next = await folder.authority.issue()
      folder.write(next)
      await expect.poll(() => serialOf(server.url)).toBe(serialIn(next.cert))
      expect(lines).toHaveLength(2)
    } finally {
      await server.close()
    }
  })

  it('is loaded by all workers', { timeout: 120_000 }, async () => {
    const data = temporaryFolder()
    folder.write(await folder.authority.issue())
    const config = `${folder.path}/config.toml`
    const files = ['cert_file', 'key_file'].map((name) => `${name} = ${JSON.stringify(folder.settings[`tls.${name}`])}`)
    writeFileSync(config, `[tls]\n${files.join('\n')}\n`)
    const server = await startIngot(`${data.path}/data`, ['--host', '127.0.0.1', '--set', 'server.workers=2'], {
      env: { INGOT_CONFIG: config },
    })
    try {
      expect(server.url).toMatch(/^https:\/\/localhost:\d+$/)
      const serials = async (): Promise<string[]> => [
        ...new Set(await Promise.all(Array.from({ length: 30 }, () => serialOf(server.url)))),
      ]
      const next = await folder.authority.issue()
      folder.write(next)
      await expect.poll(serials).toEqual([serialIn(next.cert)])
      const session = await send(`${server.url}/api/v1/version`, { ca: folder.authority.pem })
      expect(session.status).toBe(200)
    } finally {
      await server.stop()
      data.remove()
    }
  })
})
