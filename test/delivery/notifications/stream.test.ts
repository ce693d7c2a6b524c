import { afterEach, expect, it } from 'vitest'
import { describeOnBoth } from '../../harness/databases.ts'
import { eventually, openStream, type TestStream } from '../../harness/event-stream.ts'
import type { Person } from '../../harness/world.ts'
import { comment, createIssue, issueWorld } from '../../issues/issue-world.ts'
import { markAll, threadAbout } from './notification-world.ts'

describeOnBoth('the stream of notifications', (on) => {
  const given = issueWorld({ on })
  const opened: TestStream[] = []
  afterEach(() => {
    for (const stream of opened.splice(0)) stream.close()
  })
  const open = async (
    person: Person,
    headers: Record<string, string> = {},
    scopes: string[] = ['read:notification'],
  ): Promise<TestStream> => {
    const authorization = `token ${await person.token(...scopes)}`
    const stream = await openStream(given.server.url, '/notifications/stream', { authorization, ...headers })
    opened.push(stream)
    return stream
  }
  const titles = (stream: TestStream): string[] =>
    stream.of().flatMap(({ threads }) => threads.map((thread: { subject: { title: string } }) => thread.subject.title))

  it('sends new threads and the count of unread ones', async () => {
    const [ann, wes] = [await open(given.ann), await open(given.wes)]
    const { number } = await createIssue(given.bob, { title: 'Live' })
    await eventually(() => ann.of().length === 1)
    const listed = await threadAbout(given.ann, 'Live')
    expect(ann.of()[0]).toEqual({ id: expect.any(Number), threads: [listed], has_more: false, counts: { new: 1 } })
    await given.ann.client.patch(`/repos/ann/desk/issues/${number}`, { assignees: ['wes'] })
    await eventually(() => wes.of().length === 1)
    expect(wes.of()[0]).toMatchObject({ threads: [{ subject: { title: 'Live' }, unread: true }], counts: { new: 1 } })
    expect(titles(ann)).toEqual(['Live'])
  })

  it('sends threads whose status changes, by any request', async () => {
    await markAll(given.ann)
    const ann = await open(given.ann)
    await createIssue(given.bob, { title: 'One' })
    await createIssue(given.bob, { title: 'Two' })
    await eventually(() => titles(ann).length >= 2)
    const { id } = await threadAbout(given.ann, 'One')
    await given.ann.client.patch(`/notifications/threads/${id}?to-status=pinned`)
    await eventually(() => ann.of().at(-1).counts.new === 1)
    expect(ann.of().at(-1).threads).toMatchObject([{ id, pinned: true, unread: false }])
    await given.ann.client.put('/notifications')
    await eventually(() => ann.of().at(-1).counts.new === 0)
    expect(ann.of().at(-1).threads).toMatchObject([{ subject: { title: 'Two' }, unread: false }])
  })

  it('sends threads that a job writes', async () => {
    const { world } = given.server
    const followers: Person[] = []
    for (let n = 0; n < 102; n++) followers.push(await world.user(`follower-${on}-${n}`))
    for (const { client } of followers.slice(0, -1)) await client.put('/repos/ann/desk/subscription')
    const last = followers.at(-1)!
    await last.client.put('/repos/ann/desk/subscription')
    const stream = await open(last)
    await createIssue(given.bob, { title: 'For many' })
    await given.server.drain()
    await eventually(() => stream.of().length > 0)
    expect(titles(stream)).toEqual(['For many'])
  }, 120_000)

  it('resumes after the last event of the client', async () => {
    await markAll(given.ann)
    const first = await open(given.ann)
    const { number } = await createIssue(given.bob, { title: 'Seen' })
    await eventually(() => first.of().length === 1)
    first.close()
    await createIssue(given.bob, { title: 'Missed' })
    await comment(given.bob, number)
    const { id } = await threadAbout(given.ann, 'Missed')
    await given.ann.client.patch(`/notifications/threads/${id}`)
    const second = await open(given.ann, { 'last-event-id': first.lastId })
    await eventually(() => second.of().length === 2)
    expect(titles(second)).toEqual(['Seen', 'Missed'])
    expect(second.of()[1].threads).toMatchObject([{ unread: false }])
    const unknown = await open(given.ann, { 'last-event-id': '99999999' })
    await eventually(() => unknown.of('reset').length === 1)
  })

  it('shows nothing of other users, and nothing outside of the restrictions of a token', async () => {
    const bob = await open(given.bob)
    const publicly = await open(given.ann, {}, ['public-only', 'read:notification'])
    await given.ann.client.put('/repos/ann/vault/collaborators/wes', { permission: 'write' })
    await createIssue(given.wes, { title: 'Secret' }, 'ann/vault')
    await createIssue(given.wes, { title: 'Open' })
    await eventually(() => publicly.of().length === 1)
    expect([titles(publicly), bob.messages]).toEqual([['Open'], []])
  })

  it('is for signed-in users with the scope, and ends with the token', async () => {
    expect((await openStream(given.server.url, '/notifications/stream')).status).toBe(401)
    expect((await open(given.bob, {}, ['read:issue'])).status).toBe(403)
    const { json } = await given.bob.client.post('/users/bob/tokens', { name: 'live', scopes: ['all'] })
    const stream = await open(given.bob, { authorization: `token ${json.sha1}` })
    await given.bob.client.delete('/users/bob/tokens/live')
    await eventually(() => stream.isEnded)
    expect(stream.of('end')).toEqual([{ reason: 'refused' }])
  })
})
