import { createHash } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadConfig } from '../../../src/core/config/index.ts'
import { createBrowser } from '../../harness/browser.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import { PASSWORD, type Person } from '../../harness/world.ts'

const account = (name: string, password?: string): object => ({
  username: name,
  email: `${name}@example.test`,
  password,
  must_change_password: false,
})

interface Answers {
  readonly created: unknown
  readonly changed: unknown
}

/** The answers of both ways of setting a password. */
async function setPassword(root: Person, password: string): Promise<Answers> {
  const name = `u${createHash('sha256').update(password).digest('hex').slice(0, 10)}`
  const created = await root.client.post('/admin/users', account(name, password))
  const changed = await root.client.patch('/admin/users/ann', { password })
  return { created: [created.status, created.json.message], changed: [changed.status, changed.json.message] }
}

const ACCEPTED: Answers = { created: [201, undefined], changed: [200, undefined] }

describe('new passwords', () => {
  let server: TestServer
  let root: Person

  beforeAll(async () => {
    server = await startServer({
      settings: { 'security.min_password_length': '10', 'security.password_complexity': 'lower, upper,digit,spec' },
    })
    root = await server.world.admin()
    await root.client.post('/admin/users', account('ann', 'An0ther-one'))
  })
  afterAll(() => server.close())

  it('must have the configured length', async () => {
    expect(await setPassword(root, 'Sh0rt-one')).toEqual({
      created: [400, 'PasswordIsRequired'],
      changed: [400, 'password must be at least 10 characters'],
    })
    expect(await setPassword(root, `Aa1-${'x'.repeat(252)}`)).toEqual({
      created: [422, '[Password]: MaxSize (at most 255 characters)'],
      changed: [422, '[Password]: MaxSize (at most 255 characters)'],
    })
    expect(await setPassword(root, `Aa1-${'x'.repeat(251)}`)).toEqual(ACCEPTED)
  })

  it('must have the required kinds of characters', async () => {
    for (const password of ['nothing-but-lower1', 'N0specialcharacter', 'No-digit-in-here', 'NO-L0WER-IN-HERE']) {
      expect(await setPassword(root, password), password).toEqual({
        created: [400, 'PasswordComplexity'],
        changed: [400, 'password not complex enough'],
      })
    }
    expect(await setPassword(root, 'All-0f-them')).toEqual(ACCEPTED)
    expect((await root.client.post('/admin/users', account('nopassword'))).json.message).toBe('PasswordIsRequired')
  })

  it('invalid rules prevent the start', () => {
    expect(() => loadConfig({ flags: { 'security.password_complexity': 'lower,uper' } })).toThrow(
      'security.password_complexity',
    )
    expect(() => loadConfig({ flags: { 'security.password_pwn_url': 'file:///etc/passwd' } })).toThrow(
      'security.password_pwn_url',
    )
  })
})

describe('new passwords when leaked ones are refused', () => {
  const stolen = 'correct horse'
  const asked: { readonly path: string; readonly padding: unknown }[] = []
  let answer: (response: ServerResponse) => void
  let server: TestServer
  let root: Person
  const hash = createHash('sha1').update(stolen).digest('hex').toUpperCase()
  const service = createServer((request, response) => {
    asked.push({ path: request.url!, padding: request.headers['add-padding'] })
    answer(response)
  })

  beforeAll(async () => {
    await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve))
    answer = (response) => response.end(`${'0'.repeat(35)}:3\r\n${hash.slice(5)}:42\r\n`)
    const settings = {
      'security.password_check_pwn': 'true',
      'security.password_pwn_url': `http://127.0.0.1:${(service.address() as AddressInfo).port}/range/`,
    }
    server = await startServer({ settings })
    root = await server.world.admin()
    await root.client.post('/admin/users', account('ann', 'An0ther-one'))
    asked.length = 0
  })
  afterAll(async () => {
    await server.close()
    service.close()
  })

  it('the service receives five characters of a hash, and a leaked password is refused everywhere', async () => {
    expect(await setPassword(root, stolen)).toEqual({
      created: [400, 'PasswordPwned'],
      changed: [400, 'password is on a list of stolen passwords'],
    })
    expect(asked).toEqual([1, 2].map(() => ({ path: `/range/${hash.slice(0, 5)}`, padding: 'true' })))
    const browser = createBrowser(server.url)
    const bob = await server.world.user('bob')
    await browser.open('/user/login')
    await browser.send({ user_name: 'bob', password: PASSWORD })
    await browser.open('/user/change_password')
    const page = await browser.send({ old_password: PASSWORD, password: stolen, password_again: stolen })
    expect([page.status, page.text.includes('password is on a list of stolen passwords'), bob.name]).toEqual([
      422,
      true,
      'bob',
    ])
    expect(await setPassword(root, 'another horse')).toEqual(ACCEPTED)
  })

  it('the service is not queried about a password that breaks the rules', async () => {
    asked.length = 0
    await setPassword(root, 'short')
    expect(asked).toEqual([])
  })

  it('padding in the response of the service does not count as a match', async () => {
    answer = (response) => response.end(`${hash.slice(5)}:0\r\n`)
    expect(await setPassword(root, stolen)).toEqual(ACCEPTED)
  })

  it('a service that fails or returns garbage does not prevent changes', async () => {
    for (const broken of [
      (response: ServerResponse) => response.writeHead(503).end(),
      (response: ServerResponse) => response.end('<html>'),
      (response: ServerResponse) => response.destroy(),
    ]) {
      answer = broken
      const { status } = await root.client.patch('/admin/users/ann', { password: stolen })
      expect(status).toBe(200)
    }
  })
})
