import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { describeOnBoth } from '../../harness/databases.ts'
import type { Any } from '../../harness/client.ts'
import { openStream } from '../../harness/event-stream.ts'
import { signatureOf } from '../../harness/receiver.ts'
import { createHookWorld, type HookWorld } from './hook-world.ts'

const UUID = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/
const WORKFLOW = 'name: CI\non: workflow_dispatch\njobs:\n  a: { runs-on: x }\n'
const words = (text: string): string[] => text.split(' ')
/** Names by which a webhook asks for everything. */
const EVERYTHING = words('create delete push issues pull_request release status wiki workflow_job workflow_run')
/** Types of the events of the test that compares a webhook with a stream. */
const SENT = [
  ...words('create delete issue_comment issue_label issues pull_request pull_request_review_comment push release'),
  ...words('status wiki workflow_job workflow_run'),
]

describeOnBoth('deliveries of webhooks', (kind) => {
  let world: HookWorld
  beforeAll(async () => {
    world = await createHookWorld({ on: kind })
  })
  afterAll(() => world.close())

  /** Deletes all webhooks and forgets what came. */
  const startOver = async (): Promise<void> => {
    const { ann, root, receiver } = world
    for (const [client, path] of [
      [ann.client, '/repos/ann/r/hooks'],
      [ann.client, '/user/hooks'],
      [root.client, '/admin/hooks'],
    ] as const)
      for (const { id } of (await client.get(path)).json) await client.delete(`${path}/${id}`)
    ;(receiver.got as unknown[]).length = 0
    receiver.answer((_, response) => response.end('ok'))
  }

  it('carry the event, one delivery id and signatures over the exact bytes in every family of headers', async () => {
    await startOver()
    const hook = await world.hook({ secret: 's3cret\nof two lines', authorization_header: 'Bearer abc' })
    await world.push('headers.txt')
    await world.server.drain()
    const [{ method, headers, body }] = world.receiver.got as [(typeof world.receiver.got)[0]]
    expect(method).toBe('POST')
    expect(headers['content-type']).toBe('application/json')
    expect(headers.authorization).toBe('Bearer abc')
    const sha256 = createHmac('sha256', 's3cret\nof two lines').update(body).digest('hex')
    for (const family of ['ingot', 'gitea', 'forgejo', 'gogs', 'github']) {
      expect(headers[`x-${family}-delivery`]).toMatch(UUID)
      expect(headers[`x-${family}-delivery`]).toBe(headers['x-ingot-delivery'])
      expect(headers[`x-${family}-event`]).toBe('push')
      expect(headers[`x-${family}-event-type`]).toBe('push')
      expect(headers[`x-${family}-signature`]).toBe(sha256)
      expect(headers[`x-${family}-hook-installation-target-type`]).toBe('repository')
    }
    expect(headers['x-hub-signature-256']).toBe(`sha256=${sha256}`)
    expect(headers['x-hub-signature']).toBe(
      `sha1=${createHmac('sha1', 's3cret\nof two lines').update(body).digest('hex')}`,
    )
    expect(JSON.parse(body)).toMatchObject({ ref: 'refs/heads/main', repository: { full_name: 'ann/r' } })
    expect(body).toContain('\n  "ref": ')
    expect((await world.ann.client.get(`/repos/ann/r/hooks/${hook.id}`)).json.last_status).toBe('delivered')
  })

  it('are signed over the JSON text as forms too, and have empty signatures without a secret', async () => {
    await startOver()
    await world.hook({ content_type: 'form', secret: 'x' })
    await world.hook({ content_type: 'form' })
    await world.push('form.txt')
    await world.server.drain()
    const [signed, plain] = world.receiver.got.toSorted((a, b) =>
      String(b.headers['x-hub-signature']).localeCompare(String(a.headers['x-hub-signature'])),
    )
    expect(signed!.headers['content-type']).toBe('application/x-www-form-urlencoded')
    const payload = new URLSearchParams(signed!.body).get('payload')!
    expect(signed!.headers['x-hub-signature-256']).toBe(signatureOf('x', payload))
    expect(plain!.headers).toMatchObject({
      'x-gitea-signature': '',
      'x-hub-signature': 'sha1=',
      'x-hub-signature-256': 'sha256=',
    })
  })

  it('go to the webhooks of the repository, of its owner and of the site, but not to inactive and default ones', async () => {
    await startOver()
    const { url } = world.receiver
    await world.hook({ path: '/admin/hooks', url: `${url}/site` })
    await world.hook({ path: '/user/hooks', url: `${url}/owner` })
    await world.hook({ url: `${url}/repo` })
    await world.hook({ url: `${url}/off`, active: false })
    await world.hook({ url: `${url}/other`, events: ['issues'] })
    const config = { url: `${url}/default`, content_type: 'json', is_system_webhook: 'false' }
    await world.root.client.post('/admin/hooks', { type: 'gitea', active: true, config })
    await world.push('levels.txt')
    await world.server.drain()
    expect(world.receiver.got.map(({ path }) => path).toSorted()).toEqual(['/hook/owner', '/hook/repo', '/hook/site'])
    expect(
      Object.fromEntries(
        world.receiver.got.map(({ path, headers }) => [path, headers['x-gitea-hook-installation-target-type']]),
      ),
    ).toEqual({ '/hook/owner': 'user', '/hook/repo': 'repository', '/hook/site': 'system' })
    for (const { id } of (await world.root.client.get('/admin/hooks?type=default')).json)
      await world.root.client.delete(`/admin/hooks/${id}`)
  })

  it('of a repository that is deleted at once go to the webhooks of its owner and of the site', async () => {
    await startOver()
    const { url } = world.receiver
    const { client } = world.ann
    const events = ['push', 'repository']
    const hook = await world.hook({ path: '/user/hooks', url: `${url}/owner`, events })
    const ofSite = await world.hook({ path: '/admin/hooks', url: `${url}/site`, events })
    await client.post('/user/repos', { name: 'brief', auto_init: true })
    await client.post('/repos/ann/brief/contents/one', { content: 'eA==', message: 'one' })
    await client.delete('/repos/ann/brief')
    await world.server.drain()
    for (const path of ['/hook/owner', '/hook/site'])
      expect(
        world.receiver.got
          .filter((request) => request.path === path)
          .map(({ headers, body }) => [headers['x-gitea-event'], JSON.parse(body).repository.full_name]),
      ).toEqual(Array.from(['repository', 'push', 'repository'], (event) => [event, 'ann/brief']))
    await client.delete(`/user/hooks/${hook.id}`)
    await world.root.client.delete(`/admin/hooks/${ofSite.id}`)
  })

  it('respect the branch filter', async () => {
    await startOver()
    await world.hook({ branch_filter: 'release/*', url: `${world.receiver.url}/release` })
    await world.hook({ branch_filter: '{main,next}', url: `${world.receiver.url}/main` })
    await world.push('filtered.txt')
    await world.server.drain()
    expect(world.receiver.got.map(({ path }) => path)).toEqual(['/hook/main'])
  })

  it('use the formats of chats, which receive only supported events', async () => {
    await startOver()
    const { url } = world.receiver
    const slack = { url: `${url}/slack`, content_type: 'json', channel: '#general' }
    await world.hook({ type: 'slack', config: slack })
    await world.hook({ type: 'matrix', url: `${url}/matrix` })
    await world.hook({ type: 'packagist', url: `${url}/packagist`, events: ['push', 'create'] })
    await world.push('chat.txt')
    await world.ann.client.post('/repos/ann/r/branches', { new_branch_name: `chat${kind}`, old_branch_name: 'main' })
    await world.server.drain()
    const at = (path: string) => world.receiver.got.filter((received) => received.path.startsWith(path))
    expect(JSON.parse(at('/hook/slack')[0]!.body)).toMatchObject({ channel: '#general', text: expect.any(String) })
    expect(at('/hook/matrix')[0]).toMatchObject({ method: 'PUT' })
    expect(at('/hook/matrix')[0]!.path).toBe(
      `/hook/matrix/${at('/hook/matrix')[0]!.headers['x-ingot-delivery'] as string}`,
    )
    expect(at('/hook/packagist').map(({ body }) => JSON.parse(body))).toEqual([
      { repository: { url: expect.stringContaining('/ann/r') } },
    ])
    expect(at('/hook/slack')).toHaveLength(1)
  })

  it('of one webhook arrive in the order of the events, one after the other', async () => {
    await startOver()
    let underWay = 0
    let most = 0
    world.receiver.answer((_, response) => {
      most = Math.max(most, ++underWay)
      setTimeout(() => {
        underWay--
        response.end()
      }, 5)
    })
    await world.hook()
    for (let n = 0; n < 6; n++) await world.push(`order-${n}.txt`)
    await world.server.drain()
    expect(world.receiver.got.map(({ body }) => JSON.parse(body).head_commit.message.trim())).toEqual(
      Array.from({ length: 6 }, (_, n) => `order-${n}.txt`),
    )
    expect(most).toBe(1)
  })

  it('are what the event stream of the repository sends, message for message', async () => {
    await startOver()
    const { ann, server } = world
    await world.hook({ events: EVERYTHING })
    const stream = await openStream(server.url, '/repos/ann/r/events/stream')
    const post = async (path: string, body: object): Promise<Any> => {
      const answer = await ann.client.post(`/repos/ann/r${path}`, body)
      expect([path, answer.status]).toEqual([path, expect.toBeOneOf([200, 201])])
      return answer.json
    }
    try {
      const branch = `streamed${kind}`
      const content = Buffer.from(WORKFLOW).toString('base64')
      const file = await post('/contents/.gitea/workflows/ci.yml', { content, message: 'CI', new_branch: branch })
      const label = await post('/labels', { name: 'a', color: '#ffffff' })
      const { number } = await post('/issues', { title: 'An issue', body: 'a text', labels: [label.id] })
      await post(`/issues/${number}/comments`, { body: 'a comment' })
      await post(`/statuses/${file.commit.sha}`, { state: 'success', context: 'ci' })
      await post(`/actions/workflows/ci.yml/dispatches?return_run_details=1`, { ref: branch })
      const pull = await post('/pulls', { title: 'A pull request', head: branch, base: 'main' })
      await post(`/pulls/${pull.number}/reviews`, { event: 'COMMENT', body: 'a review' })
      await post('/releases', { tag_name: `v-${kind}`, name: 'One' })
      await post('/wiki/new', { title: `Page-${kind}`, content_base64: 'eA==' })
      await ann.client.delete(`/repos/ann/r/branches/${branch}`)
      await server.drain()
      const sent = world.receiver.got.map(({ headers, body }) => ({
        event: headers['x-ingot-event'],
        event_type: headers['x-ingot-event-type'],
        payload: JSON.parse(body),
      }))
      expect(new Set(sent.map(({ event_type }) => event_type))).toEqual(new Set(SENT))
      const streamed = (): Any[] => stream.of().flatMap(({ messages }) => messages)
      await expect.poll(() => streamed().length, { timeout: 20_000 }).toBe(sent.length)
      expect(streamed()).toEqual(sent)
      expect(stream.of().every(({ messages, total_messages: total }) => messages.length === total)).toBe(true)
    } finally {
      stream.close()
    }
  })

  it('are stored with request and response, without credentials', async () => {
    await startOver()
    world.receiver.answer((_, response) => response.writeHead(201, { 'x-note': 'seen' }).end('thanks\0!'))
    const hook = await world.hook({ secret: 'S3CRET', authorization_header: 'Bearer T0KEN' })
    await world.push('kept.txt')
    await world.server.drain()
    const path = `/repos/ann/r/hooks/${hook.id}/deliveries`
    const list = await world.ann.client.get(path)
    expect(list.headers.get('x-total-count')).toBe('1')
    const [entry] = list.json
    expect(entry).toMatchObject({
      hook_id: hook.id,
      event: 'push',
      event_type: 'push',
      state: 'delivered',
      attempts: 1,
      url: world.receiver.url,
      status: 201,
      error: '',
      history: [{ status: 201, error: '' }],
    })
    expect(entry.uuid).toBe(world.receiver.got[0]!.headers['x-ingot-delivery'])
    expect(entry.request).toBeUndefined()
    const details = await world.ann.client.get(`${path}/${entry.uuid}`)
    expect(details.json).toMatchObject({
      uuid: entry.uuid,
      request: { url: world.receiver.url, body: world.receiver.got[0]!.body },
      response: { status: 201, headers: { 'x-note': 'seen' }, body: 'thanks\uFFFD!' },
    })
    expect(details.json.request.headers['X-Hub-Signature-256']).toBe(signatureOf('S3CRET', details.json.request.body))
    expect(details.text).not.toMatch(/S3CRET|T0KEN/)
  })

  it('are sent again on request as new deliveries of the same payload', async () => {
    await startOver()
    const hook = await world.hook({ secret: 'x' })
    await world.push('again.txt')
    await world.server.drain()
    const [first] = await world.deliveries(hook.id)
    const path = `/repos/ann/r/hooks/${hook.id}/deliveries`
    const again = await world.ann.client.post(`${path}/${first.uuid}/redeliver`)
    expect(again.status).toBe(201)
    expect(again.json).toMatchObject({ state: 'waiting', attempts: 0, response: null, finished_at: null })
    expect(again.json.uuid).not.toBe(first.uuid)
    await world.server.drain()
    const [one, two] = world.receiver.got
    expect(two!.body).toBe(one!.body)
    expect(two!.headers['x-ingot-delivery']).toBe(again.json.uuid)
    await world.ann.client.patch(`/repos/ann/r/hooks/${hook.id}`, { active: false })
    expect((await world.ann.client.post(`${path}/${first.uuid}/redeliver`)).status).toBe(422)
    expect((await world.ann.client.post(`${path}/nothing/redeliver`)).status).toBe(404)
    const { json: entries } = await world.root.client.get('/admin/audit?action=hook.redelivered')
    expect(entries).toMatchObject([
      { actor: { name: 'ann' }, target: { name: 'ann/r' }, details: { hook_id: hook.id, delivery: first.uuid } },
    ])
  })

  it('can be read and repeated only by accounts that may edit the webhook', async () => {
    await startOver()
    const hook = await world.hook()
    const own = await world.hook({ path: '/user/hooks' })
    await world.push('guarded.txt')
    await world.server.drain()
    const bob = await world.server.world.user(`bob${kind}`)
    const [{ uuid }] = await world.deliveries(hook.id)
    const path = `/repos/ann/r/hooks/${hook.id}/deliveries`
    for (const [client, status] of [
      [world.server.anonymous, 401],
      [bob.client, 403],
    ] as const) {
      expect((await client.get(path)).status).toBe(status)
      expect((await client.get(`${path}/${uuid}`)).status).toBe(status)
      expect((await client.post(`${path}/${uuid}/redeliver`)).status).toBe(status)
    }
    const narrow = await world.ann.withToken('read:repository')
    expect((await narrow.get(path)).status).toBe(200)
    expect((await narrow.post(`${path}/${uuid}/redeliver`)).status).toBe(403)
    // Neither by the id of another owner's webhook nor by the delivery of another webhook.
    expect((await world.ann.client.get(`/repos/ann/r/hooks/${own.id}/deliveries`)).status).toBe(404)
    expect((await world.ann.client.get(`/user/hooks/${own.id}/deliveries/${uuid}`)).status).toBe(404)
    expect((await world.ann.client.get(`/user/hooks/${own.id}/deliveries`)).json).toHaveLength(1)
    expect((await world.root.client.get(`/admin/hooks/${hook.id}/deliveries`)).status).toBe(404)
  })

  it('can be tested with the head of the default branch or of another ref', async () => {
    await startOver()
    const hook = await world.hook()
    const path = `/repos/ann/r/hooks/${hook.id}/tests`
    await world.ann.client.post('/repos/ann/r/branches', { new_branch_name: `side${kind}`, old_branch_name: 'main' })
    await world.server.drain()
    ;(world.receiver.got as unknown[]).length = 0
    expect((await world.ann.client.post(path)).status).toBe(204)
    expect((await world.ann.client.post(`${path}?ref=side${kind}`)).status).toBe(204)
    await world.server.drain()
    const payloads = world.receiver.got.map(({ body }) => JSON.parse(body))
    expect(payloads.map(({ ref }) => ref)).toEqual(['refs/heads/main', `side${kind}`])
    expect(payloads[0]).toMatchObject({ total_commits: 1, before: payloads[0].after, commits: [{ added: [] }] })
    expect((await world.ann.client.post(`${path}?ref=nowhere`)).status).toBe(404)
    expect((await world.ann.client.post('/repos/ann/r/hooks/999999/tests')).status).toBe(404)
    await world.ann.client.patch(`/repos/ann/r/hooks/${hook.id}`, { events: ['issues'], active: true })
    expect((await world.ann.client.post(path)).status).toBe(204)
    await world.server.drain()
    expect(world.receiver.got.map(({ body }) => JSON.parse(body).ref)).toEqual(['refs/heads/main', `side${kind}`])
    await world.server.world.repo({ owner: world.ann, name: `void${kind}` })
    const empty = await world.hook({ path: `/repos/ann/void${kind}/hooks` })
    expect((await world.ann.client.post(`/repos/ann/void${kind}/hooks/${empty.id}/tests`)).status).toBe(404)
  })
})
