import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { asId } from '../../../src/core/platform/crypto/ids.ts'
import { describeOnBoth } from '../../harness/databases.ts'
import { type MailReceiver, startMailReceiver } from '../../harness/mail-server.ts'
import { startServer, type TestServer } from '../../harness/server.ts'
import type { Person } from '../../harness/world.ts'

const settingsFor = (port: number): Record<string, string> => ({
  'mailer.enabled': 'true',
  'mailer.protocol': 'smtp',
  'mailer.host': '127.0.0.1',
  'mailer.port': String(port),
  'mailer.from': 'Ingot <git@example.test>',
  'mailer.subject_prefix': 'TEST ',
})

describeOnBoth('mail about issues', (on) => {
  let receiver: MailReceiver
  let server: TestServer
  let now = Date.now()
  let ann: Person
  let bob: Person
  beforeAll(async () => {
    receiver = await startMailReceiver()
    server = await startServer({ on, settings: settingsFor(receiver.port), clock: { now: () => now } })
    ann = await server.world.user('ann')
    bob = await server.world.user('bob')
    await server.world.repo({ owner: ann, name: 'desk', autoInit: true })
    await server.world.repo({ owner: ann, name: 'vault', isPrivate: true })
  })
  afterAll(async () => {
    await server.close()
    await receiver.close()
  })
  afterEach(() => {
    receiver.mails.length = 0
    receiver.refuse = () => undefined
  })

  const open = async (by: Person, body: object, repo = 'ann/desk'): Promise<{ id: number; number: number }> => {
    const { status, json } = await by.client.post(`/repos/${repo}/issues`, body)
    expect(status).toBe(201)
    return json
  }
  const addresses = (): string[] => receiver.mails.map(({ to }) => to).toSorted()

  it('is a thread of mails with text and HTML', async () => {
    const { id, number } = await open(bob, { title: 'Grüße', body: 'Some **bold** text' })
    await server.drain()
    const [first] = receiver.mails
    expect(addresses()).toEqual(['ann@example.test'])
    expect(first!.headers).toMatchObject({
      subject: `TEST [ann/desk] Grüße (#${number})`,
      'message-id': `<issue/${id}@127.0.0.1>`,
      'list-id': 'ann/desk <desk.ann.127.0.0.1>',
      'list-unsubscribe-post': 'List-Unsubscribe=One-Click',
      'auto-submitted': 'auto-generated',
    })
    expect(first!.headers['from']).toContain('<git@example.test>')
    expect(first!.headers['in-reply-to']).toBeUndefined()
    expect(first!.text).toContain('Some **bold** text')
    expect(first!.text).toContain(`${server.url}/ann/desk/issues/${number}`)
    expect(first!.html).toContain('<strong>bold</strong>')
    const comment = await ann.client.post(`/repos/ann/desk/issues/${number}/comments`, { body: 'seen' })
    await server.drain()
    await ann.client.patch(`/repos/ann/desk/issues/${number}`, { state: 'closed' })
    await server.drain()
    const [, reply, closing] = receiver.mails
    expect([reply!.to, closing!.to]).toEqual(['bob@example.test', 'bob@example.test'])
    expect(reply!.headers).toMatchObject({
      subject: `TEST Re: [ann/desk] Grüße (#${number})`,
      'message-id': `<issue/${id}/comment/${comment.json.id}@127.0.0.1>`,
      'in-reply-to': `<issue/${id}@127.0.0.1>`,
      references: `<issue/${id}@127.0.0.1>`,
    })
    expect(reply!.text).toContain(`#issuecomment-${comment.json.id}`)
    expect(closing!.text).toContain('ann closed this.')
  })

  it('contains links instead of images, so that reading it loads nothing', async () => {
    const body = [
      '![chart](https://pictures.test/a.png) [![badge](https://pictures.test/b.svg)](https://example.test/)',
      '<img src="https://pictures.test/c.png" srcset="https://pictures.test/d.png 2x" alt="raw &lt;one&gt;">',
      '<picture><source srcset="//pictures.test/e.png"><img src="//pictures.test/f.png"></picture>',
      '<video src="https://pictures.test/g.mp4" poster="https://pictures.test/h.png"></video>',
    ].join('\n\n')
    await open(bob, { title: 'Pictures', body })
    await server.drain()
    const { html } = receiver.mails[0]!
    expect(html).not.toMatch(/<(?:img|picture|source|video)|srcset=|src=|poster=/)
    expect(html).toMatch(/<a href="https:\/\/pictures.test\/a.png"[^>]*><span>chart<\/span><\/a>/)
    expect(html).toMatch(/<a href="https:\/\/example.test\/"[^>]*><span>badge<\/span><\/a>/)
    expect(html).toContain('<a href="https://pictures.test/c.png" rel="nofollow">raw &lt;one&gt;</a>')
    expect(html).toContain('<a href="https://pictures.test/g.mp4" rel="nofollow">https://pictures.test/g.mp4</a>')
  })

  it('has a link that unsubscribes without signing in, by a form or by the mail program', async () => {
    const { number } = await open(bob, { title: 'Enough' })
    await server.drain()
    const link = /<(.*)>/.exec(receiver.mails[0]!.headers['list-unsubscribe']!)![1]!
    const check = async (): Promise<boolean> =>
      (await ann.client.get(`/repos/ann/desk/issues/${number}/subscriptions/check`)).json.subscribed
    const page = await fetch(link)
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<form method="post">')])
    expect(await check()).toBe(true)
    expect((await fetch(`${link.slice(0, -4)}AAAA`, { method: 'POST' })).status).toBe(404)
    expect(await check()).toBe(true)
    const type = { 'content-type': 'application/x-www-form-urlencoded' }
    const done = await fetch(link, { method: 'POST', body: 'List-Unsubscribe=One-Click', headers: type })
    expect(done.status).toBe(200)
    expect(await check()).toBe(false)
    receiver.mails.length = 0
    await bob.client.patch(`/repos/ann/desk/issues/${number}`, { state: 'closed' })
    await server.drain()
    expect(addresses()).toEqual([])
  })

  it('respects the setting of the user', async () => {
    const change = async (setting: string): Promise<void> => {
      const { status, json } = await ann.client.patch('/user/settings', { email_notifications: setting })
      expect([status, json.email_notifications]).toEqual([200, setting])
    }
    expect((await ann.client.get('/user/settings')).json.email_notifications).toBe('enabled')
    expect((await ann.client.patch('/user/settings', { email_notifications: 'odd' })).status).toBe(422)
    await change('onmention')
    const { id } = await open(bob, { title: 'Quiet' })
    await server.drain()
    expect(addresses()).toEqual([])
    const mention = async (): Promise<void> => {
      const { issues, issueNotices, repos, database } = server.app
      const issue = await issues.getById(asId(id))
      const repo = await repos.getById(issue.repoId)
      const notice = { repo, issue, actorId: bob.user.id, userIds: [ann.user.id], reason: 'mentioned' } as const
      await database.transaction((tx) => issueNotices.run(tx, notice))
      await server.drain()
    }
    await mention()
    expect(receiver.mails.map(({ text }) => text)).toEqual([expect.stringContaining('bob mentioned you.')])
    await change('disabled')
    await mention()
    expect(receiver.mails).toHaveLength(1)
    await change('enabled')
  })

  it('is not sent to users who are inactive or may not read the issue at that time', async () => {
    const { world } = server
    const root = await world.admin(`root-${on}`)
    const [idle, eve] = [await world.user(`idle-${on}`), await world.user(`eve-${on}`)]
    for (const { name, client } of [idle, eve]) {
      await ann.client.put(`/repos/ann/vault/collaborators/${name}`, { permission: 'read' })
      expect((await client.put('/repos/ann/vault/subscription')).status).toBe(200)
    }
    await open(ann, { title: 'Confidential' }, 'ann/vault')
    await root.client.patch(`/admin/users/${idle.name}`, { active: false })
    await ann.client.delete(`/repos/ann/vault/collaborators/${eve.name}`)
    await server.drain()
    expect(addresses()).toEqual([])
  })

  it('is retried for recipients with a temporary failure, and sent once to the others', async () => {
    const cat = await server.world.user(`cat-${on}`)
    await cat.client.put('/repos/ann/desk/subscription')
    receiver.refuse = (address) => (address === cat.user.email ? 450 : undefined)
    await open(bob, { title: 'Later' })
    await server.drain()
    expect(addresses()).toEqual(['ann@example.test'])
    receiver.refuse = () => undefined
    now += 61_000
    await server.drain()
    expect(addresses()).toEqual(['ann@example.test', cat.user.email])
    receiver.mails.length = 0
    receiver.refuse = (address) => (address === cat.user.email ? 550 : undefined)
    await open(bob, { title: 'Never' })
    await server.drain()
    receiver.refuse = () => undefined
    now += 24 * 3_600_000
    await server.drain()
    expect(addresses()).toEqual(['ann@example.test'])
  })
})

describe('the configuration of mail', () => {
  it.each([
    [{ 'mailer.host': '' }, 'mailer.enabled needs mailer.host'],
    [{ 'mailer.from': '' }, 'mailer.enabled needs mailer.from'],
    [{ 'mailer.password': 'a', 'mailer.password_file': 'b' }, 'exclude each other'],
    [{ 'mailer.password_file': '/nonexistent' }, 'cannot read /nonexistent'],
  ])('%j prevents the start', async (settings, message) => {
    await expect(startServer({ settings: { ...settingsFor(25), ...settings } })).rejects.toThrow(message)
  })

  it('is off by default: nothing is enqueued', async () => {
    const server = await startServer()
    const [ann, bob] = [await server.world.user('ann'), await server.world.user('bob')]
    await server.world.repo({ owner: ann, name: 'desk' })
    await bob.client.post('/repos/ann/desk/issues', { title: 'x' })
    expect(await server.app.background.jobs.countOpen()).toBe(0)
    await server.close()
  })

  it('reads the password from a file', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'ingot-mail-'))
    writeFileSync(join(dir, 'password'), 'secret\n')
    const given = { ...settingsFor(25), 'mailer.password_file': join(dir, 'password') }
    const server = await startServer({ settings: given })
    await server.close()
    rmSync(dir, { recursive: true, force: true })
  })
})
