import { describe, expect, it } from 'vitest'
import type { Any } from '../harness/client.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { expectEvents, lastEventId, rows } from '../harness/expect.ts'
import type { Person } from '../harness/world.ts'
import { comment, createIssue, issueWorld } from './issue-world.ts'

const DESK = '/repos/ann/desk/issues'
const bodies = (list: Any[]): string[] => list.map((one) => one.body)

describeOnBoth('comments', (on) => {
  const given = issueWorld({ on })

  it('are written by readers, edited and deleted by their authors and by writers', async () => {
    const { ann, bob, wes, server } = given
    const issue = await createIssue(ann)
    const mark = await lastEventId(server)
    const made = await comment(bob, issue.number, { body: 'First **words**\n' })
    const page = `${server.url}/ann/desk/issues/${issue.number}`
    expect(made).toEqual({
      id: expect.any(Number),
      html_url: `${page}#issuecomment-${made.id}`,
      pull_request_url: '',
      issue_url: page,
      user: expect.objectContaining({ login: 'bob', active: false, last_login: '0001-01-01T00:00:00Z' }),
      original_author: '',
      original_author_id: 0,
      body: 'First **words**\n',
      commit_id: '',
      assets: [],
      created_at: expect.any(String),
      updated_at: made.created_at,
    })
    const one = `${DESK}/comments/${made.id}`
    expect((await server.anonymous.get(one)).json).toEqual(made)
    expect((await server.anonymous.get(`${DESK}/${issue.number}`)).json.comments).toBe(1)
    const edited = await bob.client.patch(one, { body: 'Second' })
    expect([edited.status, edited.json.body, edited.json.user.login]).toEqual([200, 'Second', 'bob'])
    const byWriter = await wes.client.patch(one, { body: 'Third' })
    expect([byWriter.status, byWriter.json.body, byWriter.json.user.login]).toEqual([200, 'Third', 'bob'])
    expect((await bob.client.patch(one, { body: 'Third' })).status).toBe(200)
    expect((await bob.client.delete(one)).status).toBe(204)
    expect((await bob.client.delete(one)).status).toBe(404)
    expect((await server.anonymous.get(`${DESK}/${issue.number}`)).json.comments).toBe(0)
    const of = { issue_id: issue.id, number: issue.number, is_pull: false, comment_id: made.id }
    await expectEvents(server, { after: mark }, [
      ['comment.created', of],
      ['comment.edited', { ...of, old_body: 'First **words**\n' }],
      ['comment.edited', { ...of, old_body: 'Second' }],
      ['comment.deleted', { ...of, body: 'Third', poster_id: bob.user.id }],
    ])
  })

  it('are all counted under concurrent writes', async () => {
    const { ann, bob, wes } = given
    const { number } = await createIssue(ann)
    const people = [ann, bob, wes]
    const made = await Promise.all(
      Array.from({ length: 12 }, (_, n) => comment(people[n % 3]!, number, { body: `${n}` })),
    )
    await Promise.all(made.slice(0, 4).map(({ id }) => ann.client.delete(`${DESK}/comments/${id}`)))
    expect((await ann.client.get(`${DESK}/${number}`)).json.comments).toBe(8)
    expect((await ann.client.get(`${DESK}/${number}/comments`)).json).toHaveLength(8)
  })

  it('have a history of replaced texts, the newest first, for users who may edit', async () => {
    const { ann, bob, wes, server } = given
    const { number } = await createIssue(bob, { body: 'v0' })
    const { id } = await comment(bob, number, { body: 'c0' })
    await bob.client.patch(`${DESK}/comments/${id}`, { body: 'c1' })
    await wes.client.patch(`${DESK}/comments/${id}`, { body: 'c2' })
    await bob.client.patch(`${DESK}/${number}`, { body: 'v1', title: 'Retitled' })
    await bob.client.patch(`${DESK}/${number}`, { title: 'Retitled again' })
    const ofComment = `${DESK}/comments/${id}/history`
    const first = await bob.client.get(`${ofComment}?limit=1`)
    expect(first.headers.get('x-total-count')).toBe('2')
    expect(first.json).toEqual([
      { body: 'c1', user: expect.objectContaining({ login: 'wes' }), replaced_at: expect.any(String) },
    ])
    expect(bodies((await ann.client.get(`${ofComment}?limit=1&page=2`)).json)).toEqual(['c0'])
    expect(bodies((await wes.client.get(`${DESK}/${number}/history`)).json)).toEqual(['v0'])
    const eve = await server.world.user(`eve-${on}`)
    expect((await eve.client.get(ofComment)).status).toBe(403)
    expect((await server.anonymous.get(`${DESK}/${number}/history`)).status).toBe(401)
    await bob.client.delete(`${DESK}/comments/${id}`)
    expect(await rows(server, 'former_text', { comment_id: id })).toEqual([])
  })
})

describe('lists of comments', () => {
  const clock = { time: Date.parse('2030-01-01T00:00:00Z'), now: () => clock.time }
  const given = issueWorld({ clock })

  it('return all comments of an issue, pages of a repository, and a time span', async () => {
    const { ann, bob, server } = given
    const [one, two] = [await createIssue(ann), await createIssue(ann)]
    const made: Any[] = []
    for (const [person, number] of [
      [ann, one.number],
      [bob, two.number],
      [bob, one.number],
    ] as [Person, number][]) {
      clock.time += 10_000
      made.push(await comment(person, number, { body: `by ${person.name}` }))
    }
    const ofIssue = (query = '') => server.anonymous.get(`${DESK}/${one.number}/comments${query}`)
    const all = await ofIssue('?limit=1')
    expect(all.json).toEqual([made[0], made[2]])
    expect(all.headers.get('x-total-count')).toBe('2')
    const ofRepo = (query: string) => server.anonymous.get(`${DESK}/comments${query}`)
    const paged = await ofRepo('?limit=1&page=2')
    expect(paged.json).toEqual([made[1]])
    expect(paged.headers.get('x-total-count')).toBe('3')
    expect((await ofRepo('?since=2030-01-01T00:00:20Z&before=2030-01-01T00:00:20Z')).json).toEqual([made[1]])
    expect((await ofIssue('?since=2030-01-01T00:00:11Z')).json).toEqual([made[2]])
    expect((await ofIssue('?before=2029-01-01T00:00:00Z')).json).toEqual([])
    const refused = await ofIssue('?since=noon')
    expect([refused.status, refused.json.message]).toEqual([422, expect.stringContaining('ince')])
    expect((await ofRepo('?before=2030-02-30T00:00:00Z')).status).toBe(422)
  })

  it('are 404 if no issue can be read', async () => {
    const { ann, bob, server } = given
    expect((await server.anonymous.get(`${DESK}/999/comments`)).status).toBe(404)
    expect((await bob.client.get('/repos/ann/vault/issues/comments')).status).toBe(404)
    const { number } = await createIssue(ann, {}, 'ann/vault')
    await comment(ann, number, { body: 'secret' }, 'ann/vault')
    await ann.client.patch('/repos/ann/vault', { has_issues: false })
    expect((await ann.client.get('/repos/ann/vault/issues/comments')).json).toEqual([])
    await ann.client.patch('/repos/ann/vault', { has_pull_requests: false })
    expect((await ann.client.get('/repos/ann/vault/issues/comments')).status).toBe(404)
  })
})

describe('refusals of comments', () => {
  const given = issueWorld()

  it('name the field, the missing token, or nothing', async () => {
    const { ann, bob, server } = given
    const { number } = await createIssue(ann)
    const { id } = await comment(ann, number)
    const path = `${DESK}/${number}/comments`
    expect((await ann.client.post(path, {})).json.message).toBe('[Body]: Required')
    expect((await ann.client.post(path, { body: '' })).json.message).toBe('[Body]: Required')
    expect((await ann.client.patch(`${DESK}/comments/${id}`, { body: '' })).json.message).toBe('[Body]: Required')
    expect((await ann.client.post(path, { body: 'x'.repeat(2 ** 20 + 1) })).status).toBe(413)
    expect((await ann.client.post(`${DESK}/999/comments`, { body: 'x' })).status).toBe(404)
    expect((await server.anonymous.post(path, { body: 'x' })).status).toBe(401)
    expect((await server.anonymous.patch(`${DESK}/comments/${id}`, { body: 'x' })).status).toBe(401)
    const refused = await bob.client.patch(`${DESK}/comments/${id}`, { body: 'x' })
    expect([refused.status, refused.json.message]).toEqual([403, ''])
    expect((await bob.client.delete(`${DESK}/comments/${id}`)).status).toBe(403)
    const reader = await bob.withToken('read:issue')
    expect((await reader.post(path, { body: 'x' })).status).toBe(403)
  })

  it('are 404 through another repository, and 204 for events', async () => {
    const { ann, server } = given
    await server.world.repo({ owner: ann, name: 'elsewhere' })
    const { number } = await createIssue(ann)
    const { id } = await comment(ann, number)
    const astray = `/repos/ann/elsewhere/issues/comments/${id}`
    expect((await ann.client.get(astray)).status).toBe(404)
    expect((await ann.client.patch(astray, { body: 'x' })).status).toBe(404)
    expect((await ann.client.delete(astray)).status).toBe(404)
    expect((await ann.client.get(`${astray}/history`)).status).toBe(404)
    await ann.client.patch(`${DESK}/${number}`, { title: 'Retitled' })
    const [event] = await rows(server, 'timeline_entry', { kind: 'change_title' })
    const path = `${DESK}/comments/${event!.id}`
    expect((await server.anonymous.get(path)).status).toBe(204)
    expect((await ann.client.patch(path, { body: 'x' })).status).toBe(204)
    expect((await ann.client.delete(path)).status).toBe(204)
    expect((await ann.client.get(`${path}/history`)).status).toBe(404)
    expect(await rows(server, 'timeline_entry', { id: event!.id })).toEqual([event])
  })

  it('ignore the number of the deprecated paths', async () => {
    const { ann } = given
    const { number } = await createIssue(ann)
    const { id } = await comment(ann, number)
    const path = `${DESK}/9999/comments/${id}`
    expect((await ann.client.patch(path, { body: 'By the old path' })).json.body).toBe('By the old path')
    expect((await ann.client.delete(path)).status).toBe(204)
    expect((await ann.client.get(`${DESK}/comments/${id}`)).status).toBe(404)
  })

  it('cover new comments and edits in archived repositories, not deletions', async () => {
    const { ann, server } = given
    await server.world.repo({ owner: ann, name: 'old', autoInit: true })
    const { number } = await createIssue(ann, {}, 'ann/old')
    const { id } = await comment(ann, number, {}, 'ann/old')
    await ann.client.patch('/repos/ann/old', { archived: true })
    const old = '/repos/ann/old/issues'
    const refused = await ann.client.post(`${old}/${number}/comments`, { body: 'x' })
    expect([refused.status, refused.json.message]).toEqual([423, 'ann/old is archived'])
    expect((await ann.client.patch(`${old}/comments/${id}`, { body: 'x' })).status).toBe(423)
    expect((await ann.client.patch(`${old}/${number}/comments/${id}`, { body: 'x' })).status).toBe(200)
    expect((await ann.client.delete(`${old}/comments/${id}`)).status).toBe(204)
  })

  it('cover comments and edits of blocked accounts, except repository administrators', async () => {
    const { ann, bob, wes, server } = given
    const { number } = await createIssue(wes)
    const carl = await server.world.user('carl')
    const { id } = await comment(carl, number)
    const path = `${DESK}/${number}/comments`
    await wes.client.put('/user/block/carl')
    await wes.client.put('/user/block/ann')
    const byPoster = await carl.client.post(path, { body: 'x' })
    expect([byPoster.status, byPoster.json.message]).toEqual([403, 'user is blocked'])
    expect((await carl.client.patch(`${DESK}/comments/${id}`, { body: 'x' })).status).toBe(403)
    expect((await ann.client.post(path, { body: 'x' })).status).toBe(201)
    await ann.client.put('/user/block/bob')
    expect((await bob.client.post(path, { body: 'x' })).status).toBe(403)
    expect((await carl.client.delete(`${DESK}/comments/${id}`)).status).toBe(204)
  })

  it('show a ghost for a deleted account', async () => {
    const { ann, server } = given
    const { number } = await createIssue(ann)
    const gone = await server.world.user('gone')
    const { id } = await comment(gone, number)
    const root = await server.world.admin()
    expect((await root.client.delete('/admin/users/gone')).status).toBe(204)
    await server.drain()
    expect((await ann.client.get(`${DESK}/comments/${id}`)).json.user).toMatchObject({ id: -1, login: 'Ghost' })
    expect((await ann.client.get(`${DESK}/${number}`)).json.comments).toBe(1)
  })

  it('are deleted with an account that is purged', async () => {
    const { ann, wes, server } = given
    const { number } = await createIssue(ann)
    const spam = await server.world.user('spam')
    for (let i = 0; i < 3; i++) await comment(spam, number)
    const kept = await comment(wes, number)
    const root = await server.world.admin('root2')
    const mark = await lastEventId(server)
    expect((await root.client.delete('/admin/users/spam?purge=true')).status).toBe(204)
    await server.drain()
    expect((await ann.client.get(`${DESK}/${number}/comments`)).json).toEqual([kept])
    expect((await ann.client.get(`${DESK}/${number}`)).json.comments).toBe(1)
    const deleted = ['comment.deleted', { poster_id: spam.user.id }] as const
    await expectEvents(server, { after: mark, actorId: root.user.id }, [
      ['user.deleting', { purges: true }],
      ['user.deleted'],
      deleted,
      deleted,
      deleted,
    ])
  })
})

describe('updated_at of comments', () => {
  const clock = { time: Date.parse('2030-01-01T00:00:00Z'), now: () => clock.time }
  const given = issueWorld({ clock })
  const AT = '2030-01-01T00:00:30Z'

  it('sets the times of comment and issue, only for administrators', async () => {
    const { ann, bob, wes } = given
    const { number } = await createIssue(ann)
    clock.time += 60_000
    const made = await comment(ann, number, { updated_at: AT })
    expect([made.created_at, made.updated_at]).toEqual([AT, AT])
    const updatedAt = async () => (await ann.client.get(`${DESK}/${number}`)).json.updated_at
    expect(await updatedAt()).toBe(AT)
    const post = (person: Person, at: string) =>
      person.client.post(`${DESK}/${number}/comments`, { body: 'x', updated_at: at })
    expect((await post(bob, AT)).json.message).toBe('user needs to have admin or owner right')
    expect((await post(wes, AT)).status).toBe(403)
    expect((await post(ann, '2029-12-31T23:59:59Z')).json.message).toBe('unallowed update date')
    expect((await post(ann, '2030-01-01T00:01:01Z')).status).toBe(403)
    expect((await post(ann, 'yesterday')).status).toBe(422)
    expect((await ann.client.get(`${DESK}/${number}`)).json.comments).toBe(1)
  })

  it('orders comments of the same second by creation', async () => {
    const { ann } = given
    const { number } = await createIssue(ann)
    clock.time += 900
    const first = await comment(ann, number)
    clock.time += 60_000
    const second = await comment(ann, number, { updated_at: first.created_at })
    expect((await ann.client.get(`${DESK}/${number}/comments`)).json).toEqual([first, second])
    clock.time -= 900
  })

  it('of an edit does not change the issue or the creation time', async () => {
    const { ann, bob } = given
    const { number } = await createIssue(ann)
    const made = await comment(bob, number)
    const before = (await ann.client.get(`${DESK}/${number}`)).json.updated_at
    const start = clock.time
    clock.time += 60_000
    const at = new Date(start + 30_000).toISOString().replace('.000', '')
    const path = `${DESK}/comments/${made.id}`
    expect((await bob.client.patch(path, { body: 'x', updated_at: at })).status).toBe(403)
    expect((await bob.client.patch(path, { body: made.body, updated_at: at })).status).toBe(403)
    const dated = await ann.client.patch(path, { body: 'dated', updated_at: at })
    expect(dated.json).toMatchObject({ body: 'dated', created_at: made.created_at, updated_at: at })
    expect((await ann.client.get(`${path}/history`)).json[0]).toMatchObject({ body: made.body, replaced_at: at })
    const again = await ann.client.patch(path, { body: 'dated', updated_at: made.created_at })
    expect(again.json).toMatchObject({ body: 'dated', updated_at: made.created_at })
    expect((await ann.client.get(`${path}/history`)).json).toHaveLength(1)
    await bob.client.patch(path, { body: 'now' })
    expect((await ann.client.get(path)).json.updated_at).toBe(new Date(clock.time).toISOString().replace('.000', ''))
    expect((await ann.client.get(`${DESK}/${number}`)).json.updated_at).toBe(before)
  })
})
