import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { createBrowser } from '../../harness/browser.ts'
import { createAuthority } from '../../harness/certificates.ts'
import { createClient } from '../../harness/client.ts'
import { describeOnBoth } from '../../harness/databases.ts'
import { findSlapd } from '../../harness/directory.ts'
import { GIT_ENV } from '../../harness/git-env.ts'
import { ldapWorld } from './ldap-fixture.ts'

const slapd = findSlapd()
const run = promisify(execFile)
const LOGIN = '/user/login'

describe.skipIf(slapd === undefined)('a directory that answers, or not', () => {
  describeOnBoth('for every way to sign in', (kind) => {
    const world = ldapWorld(slapd!, {
      on: kind,
      tuning: { directory: { connect: 500, answer: 500 }, loginAttempts: 3 },
    })
    const status = async (login: string, password?: string): Promise<number> =>
      (await world.as(login, password).get('/user')).status
    const lsRemote = (login: string, password = `${login}-password`): Promise<{ stdout: string }> => {
      const { host } = new URL(world.server.url)
      return run('git', ['ls-remote', `http://${login}:${password}@${host}/pat/private.git`], { env: GIT_ENV })
    }
    const signIn = async (login: string, password: string) => {
      const browser = createBrowser(world.server.url)
      await browser.open(LOGIN)
      return browser.send({ user_name: login, password })
    }

    it('accepts the password of the directory for the API, git and the pages', async () => {
      await world.addSource('people')
      for (const uid of ['pat', 'quin', 'rob', 'sue']) await world.directory.addPerson(uid)
      expect(await status('pat')).toBe(200)
      await world.as('pat').post('/user/repos', { name: 'private', private: true, auto_init: true })
      expect((await lsRemote('pat')).stdout).toContain('refs/heads/')
      const page = await signIn('quin', 'quin-password')
      expect([page.status, page.text.includes('Signed in as <strong>quin</strong>')]).toEqual([200, true])
      expect((await signIn('quin', 'wrong')).status).toBe(401)
    })

    it('delays many wrong passwords, and refuses more that wait', async () => {
      for (let turn = 0; turn < 3; turn++) await status('rob', `wrong-${turn}`)
      const rest = await Promise.all(Array.from({ length: 12 }, (_, turn) => status('rob', `more-${turn}`)))
      expect(new Set(rest)).toEqual(new Set([401, 429]))
      expect(await status('sue'), 'nobody else waits').toBe(200)
    })

    it('refuses only accounts of the directory while it is unavailable', async () => {
      const token = await world.as('sue').post('/users/sue/tokens', { name: 't', scopes: ['read:user'] })
      const byToken = createClient(world.server.url, world.server.app.operations, {
        authorization: `token ${token.json.sha1}`,
      })
      await world.directory.stop()
      for (const login of ['sue', 'nobody']) {
        const away = await world.as(login, 'some-other-password').get('/user')
        expect([away.status, away.json.message]).toEqual([
          503,
          'the sign-in source people cannot be reached, try again later',
        ])
      }
      expect((await signIn('sue', 'some-other-password')).status).toBe(503)
      expect(await lsRemote('sue', 'some-other-password').catch((error: { stderr: string }) => error.stderr)).toContain(
        '503',
      )
      expect((await byToken.get('/user')).status).toBe(200)
      expect((await world.root.client.get('/user')).status).toBe(200)
      await world.directory.restart()
      expect(await status('sue')).toBe(200)
    })

    it('waits a bounded time for a directory that accepts connections and says nothing', async () => {
      world.directory.freeze()
      try {
        const began = performance.now()
        const slow = Promise.all(Array.from({ length: 8 }, (_, turn) => status('quin', `frozen-${turn}`)))
        expect((await world.root.client.get('/user')).status).toBe(200)
        expect(new Set(await slow)).toEqual(new Set([503]))
        expect(performance.now() - began).toBeLessThan(5_000)
      } finally {
        world.directory.thaw()
      }
      expect(await status('quin')).toBe(200)
    })
  })

  describe('with TLS', () => {
    const world = ldapWorld(slapd!, { tuning: { directory: { connect: 2_000, answer: 2_000 } } })

    it.each(['starttls', 'ldaps'] as const)('by %s checks the certificate', async (security) => {
      const { port: plain, securePort, caPem } = world.directory
      const port = security === 'ldaps' ? securePort : plain
      const id = await world.addSource(security, { security, port, ca_certificates: caPem })
      const uid = `tom-${security}`
      await world.directory.addPerson(uid)
      const status = async (password?: string): Promise<number> => (await world.as(uid, password).get('/user')).status
      expect(await status()).toBe(200)
      expect(await status('wrong')).toBe(401)
      const path = `/admin/auth-sources/${id}`
      for (const ldap of [
        { ca_certificates: (await createAuthority()).pem },
        { ca_certificates: '' },
        { ca_certificates: caPem, port: security === 'ldaps' ? plain : securePort },
      ]) {
        await world.root.client.patch(path, { ldap })
        expect(await status('x'), JSON.stringify(Object.keys(ldap))).toBe(503)
      }
      await world.root.client.patch(path, { is_active: false })
    })

    it('never sends a password over a second connection, which would have no TLS', async () => {
      await world.directory.addPerson('una')
      const proxy = await startProxy(world.directory.port)
      const security = { security: 'starttls', port: proxy.port, ca_certificates: world.directory.caPem }
      const id = await world.addSource('through a proxy', security)
      const statuses = new Set<number>()
      for (let chunks = 1; chunks <= 12; chunks++) {
        proxy.cutAfter(chunks)
        statuses.add((await world.as('una', chunks > 10 ? 'una-password' : `wrong-${chunks}`).get('/user')).status)
        expect(proxy.connections, `cut after ${chunks} answers`).toBe(1)
        expect(proxy.sent).not.toContain('password')
        expect(proxy.sent).not.toContain('reader-secret')
      }
      expect(statuses).toContain(503)
      expect(statuses, 'some of them ended before the cut').toContain(200)
      await world.root.client.patch(`/admin/auth-sources/${id}`, { is_active: false })
      await proxy.close()
    })
  })
})

/** A proxy that cuts a connection after some answers, and records what clients send. */
async function startProxy(target: number) {
  const state = { connections: 0, sent: '', limit: 0 }
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    state.connections++
    let left = state.limit
    const upstream = connect(target, '127.0.0.1')
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => undefined)
    }
    client.on('data', (data) => {
      state.sent += data.toString('latin1')
      upstream.write(data)
    })
    upstream.on('data', (data) => {
      client.write(data)
      if (--left === 0) client.destroy()
    })
    client.on('close', () => upstream.destroy())
    upstream.on('close', () => client.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    get connections() {
      return state.connections
    },
    get sent() {
      return state.sent
    },
    cutAfter(limit: number) {
      Object.assign(state, { connections: 0, sent: '', limit })
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
