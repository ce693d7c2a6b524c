import { afterEach, expect, it } from 'vitest'
import { describeOnBoth } from '../harness/databases.ts'
import { eventually, openStream, type TestStream } from '../harness/event-stream.ts'
import { PASSWORD, type Person } from '../harness/world.ts'
import { comment, createIssue, issueWorld } from '../issues/issue-world.ts'
import { MEASURED } from '../harness/measured.ts'

const STREAM = '/repos/ann/desk/events/stream'
const VAULT = '/repos/ann/vault/events/stream'

describeOnBoth('the event stream of a repository', (on) => {
  const given = issueWorld({ on })
  const opened: TestStream[] = []
  afterEach(() => {
    for (const stream of opened.splice(0)) stream.close()
  })
  const open = async (path = STREAM, headers: Record<string, string> = {}): Promise<TestStream> => {
    const stream = await openStream(given.server.url, path, headers)
    opened.push(stream)
    return stream
  }
  const token = async (person: Person, ...scopes: string[]) => ({
    authorization: `token ${await person.token(...scopes)}`,
  })
  const password = ({ name }: Person) => ({
    authorization: `Basic ${Buffer.from(`${name}:${PASSWORD}`).toString('base64')}`,
  })
  const kinds = (stream: TestStream): string[] => stream.of().map(({ kind }) => kind)
  /** Types of what webhooks get. */
  const messagesOf = (stream: TestStream): string[] =>
    stream.of().flatMap(({ messages }) => messages.map((message: { event_type: string }) => message.event_type))

  it('sends events as they happen', async () => {
    const stream = await open()
    expect(stream).toMatchObject({
      status: 200,
      headers: { 'content-type': 'text/event-stream;charset=utf-8', 'cache-control': 'no-store, no-transform' },
    })
    const { number } = await createIssue(given.bob, { title: 'Live' })
    await comment(given.ann, number)
    await eventually(() => stream.of().length === 2)
    const [created, commented] = stream.of()
    expect(created).toEqual({
      id: expect.any(Number),
      kind: 'issue.created',
      repo: { id: expect.any(Number), name: 'desk', full_name: 'ann/desk' },
      actor: { id: given.bob.user.id, login: 'bob' },
      created_at: expect.stringMatching(/^20.*Z$/),
      payload: { number, is_pull: false, title: 'Live' },
      messages: [
        {
          event: 'issues',
          event_type: 'issues',
          payload: expect.objectContaining({ action: 'opened', issue: expect.objectContaining({ title: 'Live' }) }),
        },
      ],
      total_messages: 1,
    })
    expect(commented).toMatchObject({ kind: 'comment.created', actor: { login: 'ann' }, payload: { number } })
    expect(commented.id).toBeGreaterThan(created.id)
    expect(stream.lastId).toBe(String(commented.id))
  })

  it('omits other repositories, and settings that only some accounts may read', async () => {
    const stream = await open()
    await createIssue(given.ann, { body: 'a secret text' }, 'ann/vault')
    await given.ann.client.post('/repos/ann/desk/branch_protections', { rule_name: 'main' })
    await given.ann.client.put('/user/starred/ann/desk')
    const { number } = await createIssue(given.bob, { body: 'a text' })
    await given.bob.client.patch(`/repos/ann/desk/issues/${number}`, { body: 'another text' })
    await eventually(() => kinds(stream).includes('issue.edited'))
    expect(kinds(stream)).toEqual(['issue.created', 'issue.edited'])
    expect(JSON.stringify(stream.messages)).not.toContain('secret text')
  })

  it('resumes after the last event of the client', async () => {
    const first = await open()
    await createIssue(given.bob, { title: 'Seen' })
    await eventually(() => first.of().length === 1)
    first.close()
    await createIssue(given.bob, { title: 'Missed 1' })
    await createIssue(given.bob, { title: 'Missed 2' })
    const second = await open(STREAM, { 'last-event-id': first.lastId })
    await createIssue(given.bob, { title: 'Live' })
    await eventually(() => second.of().length === 3)
    expect(second.of().map(({ payload }) => payload.title)).toEqual(['Missed 1', 'Missed 2', 'Live'])
    expect(second.of('reset')).toEqual([])
  })

  it('can be resumed by a client that has received no message', async () => {
    const first = await open()
    first.close()
    await createIssue(given.bob, { title: 'Missed' })
    const second = await open(STREAM, { 'last-event-id': first.lastId })
    await eventually(() => second.of().length === 1)
    expect(second.of()[0].payload.title).toBe('Missed')
  })

  it('sends pages of missed events, each once, while others happen', async () => {
    const first = await open()
    first.close()
    const { app } = given.server
    const repo = (await given.ann.client.get('/repos/ann/desk')).json
    const append = (from: number, to: number) =>
      app.database.transaction(async (tx) => {
        for (let label_id = from; label_id < to; label_id++)
          await app.events.append(
            tx,
            'label.edited',
            { actor: { account: { id: given.ann.user.id } }, repoId: repo.id, at: Date.now() },
            { repo_id: repo.id, org_id: 0, label_id, name: 'bug' },
          )
      })
    await append(0, 350)
    const second = await open(STREAM, { 'last-event-id': first.lastId })
    await append(350, 700)
    await eventually(() => second.of().length >= 700)
    expect(second.of().map(({ payload }) => payload.label_id)).toEqual(Array.from({ length: 700 }, (_, n) => n))
  })

  it('requests clients to reload when the id is unknown or too old', async () => {
    const first = await open()
    const { database } = given.server.app
    for (const id of ['nonsense', '999999999999', '-1', '1e9']) {
      const stream = await open(STREAM, { 'last-event-id': id })
      await eventually(() => stream.of('reset').length === 1)
      expect(stream.of('reset')).toEqual([{ reason: 'unknown-id' }])
      expect(stream.lastId).toBe(first.lastId)
    }
    await createIssue(given.bob, { title: 'Old' })
    await eventually(() => first.of().length === 1)
    await database.transaction((tx) =>
      tx.updateTable('event').set({ created_at: 1000 }).where('id', '=', Number(first.lastId)).execute(),
    )
    const late = await open(STREAM, { 'last-event-id': first.lastId })
    await createIssue(given.bob, { title: 'After' })
    await eventually(() => late.of().length === 1)
    expect([late.of('reset'), late.of()[0].payload.title]).toEqual([[{ reason: 'unknown-id' }], 'After'])
  })

  it('is authorized like other reads', async () => {
    expect((await open(VAULT)).status).toBe(404)
    expect((await open(VAULT, await token(given.bob, 'all'))).status).toBe(404)
    expect((await open(VAULT, await token(given.ann, 'all'))).status).toBe(200)
    expect((await open(STREAM, await token(given.ann, 'read:issue'))).status).toBe(403)
    expect((await open(STREAM, { authorization: 'token nonsense' })).status).toBe(401)
    expect((await open(VAULT, await token(given.ann, 'public-only', 'all'))).status).toBe(403)
  })

  it('shows each kind of event to those who may read its unit', async () => {
    const { world } = given.server
    const org = await world.org(`units-${on}`, { owner: given.ann })
    const repo = await world.repo({ owner: org.org, by: given.ann, name: 'parts', isPrivate: true })
    const [coder, tracker] = [await world.user('coder'), await world.user('tracker')]
    await org.team('coders', { units: ['repo.code'], members: [coder], repos: [repo] })
    await org.team('trackers', { units: ['repo.issues'], members: [tracker], repos: [repo] })
    const path = `/repos/${repo.fullName}/events/stream`
    const [code, issues] = [await open(path, await token(coder, 'all')), await open(path, await token(tracker, 'all'))]
    await createIssue(given.ann, {}, repo.fullName)
    const file = { content: Buffer.from('x').toString('base64'), message: 'x' }
    expect((await given.ann.client.post(`/repos/${repo.fullName}/contents/x`, file)).status).toBe(201)
    await given.ann.client.put(`/repos/${repo.fullName}/topics`, { topics: ['last'] })
    await eventually(() => [code, issues].every((stream) => kinds(stream).includes('repo.topics_changed')))
    expect(kinds(code)).toContain('repo.pushed')
    expect(kinds(code)).not.toContain('issue.created')
    expect(kinds(issues)).toContain('issue.created')
    expect(kinds(issues)).not.toContain('repo.pushed')
    expect(messagesOf(code)).toEqual(['create', 'push'])
    expect(messagesOf(issues)).toEqual(['issues'])
    const resumed = await open(path, { ...(await token(tracker, 'all')), 'last-event-id': '1' })
    await eventually(() => kinds(resumed).includes('repo.topics_changed'))
    expect(messagesOf(resumed)).toEqual(['issues'])
    expect(kinds(resumed)).not.toContain('repo.pushed')
  })

  it('shows nothing of a unit while it is disabled', async () => {
    const { client } = given.ann
    const { app } = given.server
    const first = await open()
    const { number, id: issueId } = await createIssue(given.bob, { title: 'Readable' })
    await eventually(() => first.of().length === 1)
    await client.patch('/repos/ann/desk', { has_issues: false })
    const repoId = (await client.get('/repos/ann/desk')).json.id
    const entities = { repo: await app.repos.getById(repoId), issue: await app.issues.getById(issueId) }
    const origin = { actor: { account: { id: 0 } }, repoId, at: Date.now(), entities }
    const payload = { repo_id: repoId, issue_id: issueId, number, is_pull: false }
    await app.database.transaction((tx) => app.events.append(tx, 'issue.edited', origin, payload))
    const resumed = await open(STREAM, { 'last-event-id': String(first.of()[0].id - 1) })
    await client.put('/repos/ann/desk/topics', { topics: ['off'] })
    await eventually(() => [first, resumed].every((stream) => kinds(stream).includes('repo.topics_changed')))
    await client.patch('/repos/ann/desk', { has_issues: true })
    await createIssue(given.bob, { title: 'On again' })
    const shown = (stream: TestStream) => stream.of().flatMap(({ payload: { title } }) => title ?? [])
    await eventually(() => [first, resumed].every((stream) => shown(stream).includes('On again')))
    expect([shown(first), shown(resumed)]).toEqual([['Readable', 'On again'], ['On again']])
    expect([...kinds(first), ...kinds(resumed)]).not.toContain('issue.edited')
  })

  const ends = async (stream: TestStream, change: () => Promise<unknown>): Promise<void> => {
    await change()
    const begin = performance.now()
    await eventually(() => stream.isEnded, 'the stream did not end')
    expect(stream.of('end')).toEqual([{ reason: 'refused' }])
    expect(performance.now() - begin).toBeLessThan(2000)
  }

  let attempts = 0

  it('ends when its token is deleted', MEASURED, async () => {
    const created = await given.bob.client.post('/users/bob/tokens', { name: 'live', scopes: ['all'] })
    const stream = await open(STREAM, { authorization: `token ${created.json.sha1}` })
    await ends(stream, () => given.bob.client.delete('/users/bob/tokens/live'))
    expect((await open(STREAM, { authorization: `token ${created.json.sha1}` })).status).toBe(401)
  })

  it('ends when the account may no longer sign in, or has another password', MEASURED, async () => {
    const { world } = given.server
    const attempt = ++attempts
    const root = await world.admin(`root${attempt}`)
    const [suspended, changed] = [await world.user(`suspended${attempt}`), await world.user(`changed${attempt}`)]
    const edit = (body: object) => (name: string) => () =>
      root.client.patch(`/admin/users/${name}`, { source_id: 0, login_name: name, ...body })
    const byToken = await open(STREAM, await token(suspended, 'all'))
    const byPassword = await open(STREAM, password(changed))
    await ends(byToken, edit({ prohibit_login: true })(suspended.user.name))
    expect(byPassword.isEnded).toBe(false)
    await ends(byPassword, edit({ password: 'An0ther-horse!' })(changed.user.name))
  })

  it('ends when access to the repository is lost', MEASURED, async () => {
    const { client } = given.ann
    await client.put('/repos/ann/vault/collaborators/bob', { permission: 'read' })
    const collaborator = await open(VAULT, await token(given.bob, 'all'))
    await createIssue(given.ann, { title: 'Before' }, 'ann/vault')
    await eventually(() => collaborator.of().length === 1)
    await ends(collaborator, () => client.delete('/repos/ann/vault/collaborators/bob'))
    const { fullName } = await given.server.world.repo({ owner: given.ann, name: `shrinking${++attempts}` })
    const anyone = await open(`/repos/${fullName}/events/stream`)
    await ends(anyone, () => client.patch(`/repos/${fullName}`, { private: true }))
    const owner = await open(`/repos/${fullName}/events/stream`, await token(given.ann, 'all'))
    await ends(owner, () => client.delete(`/repos/${fullName}`))
  })

  it('sends no event that is committed after access was lost', async () => {
    await given.ann.client.put('/repos/ann/vault/collaborators/bob', { permission: 'read' })
    const stream = await open(VAULT, await token(given.bob, 'all'))
    await given.ann.client.delete('/repos/ann/vault/collaborators/bob')
    await createIssue(given.ann, { title: 'Secret' }, 'ann/vault')
    await eventually(() => stream.isEnded)
    expect(JSON.stringify(stream.messages)).not.toContain('Secret')
  })

  it('costs nothing without listeners', async () => {
    const stream = await open()
    expect([given.server.app.streams.count, given.server.app.streams.isFollowing]).toEqual([1, true])
    stream.close()
    await eventually(() => given.server.app.streams.count === 0)
    await createIssue(given.bob, { title: 'Unheard' })
    expect(given.server.app.streams.isFollowing).toBe(false)
  })
})
