import { describe, expect, it } from 'vitest'
import { comment, createIssue, issueWorld, timelineOf } from './issue-world.ts'

const DESK = '/repos/ann/desk/issues'

describe('locks', () => {
  const given = issueWorld()

  it('restrict comments to writers', async () => {
    const { ann, bob, wes } = given
    const issue = await createIssue(bob)
    const { id } = await comment(bob, issue.number)
    const lock = `${DESK}/${issue.number}/lock`
    expect((await ann.client.put(lock, { lock_reason: 'Too heated' })).status).toBe(204)
    const refused = await bob.client.post(`${DESK}/${issue.number}/comments`, { body: 'may I?' })
    expect([refused.status, refused.json.message]).toEqual([403, 'You cannot comment on a locked issue.'])
    expect((await wes.client.post(`${DESK}/${issue.number}/comments`, { body: 'I may' })).status).toBe(201)
    expect((await bob.client.patch(`${DESK}/comments/${id}`, { body: 'Edited' })).status).toBe(200)
    expect((await bob.client.delete(`${DESK}/comments/${id}`)).status).toBe(204)
    expect((await bob.client.get(`${DESK}/${issue.number}`)).json.is_locked).toBe(true)
    expect((await ann.client.delete(lock)).status).toBe(204)
    expect((await comment(bob, issue.number)).body).toBe('A comment')
    expect((await bob.client.get(`${DESK}/${issue.number}`)).json.is_locked).toBe(false)
  })

  it('are set once, with the first reason', async () => {
    const { ann } = given
    const { number } = await createIssue(ann)
    const lock = `${DESK}/${number}/lock`
    for (const body of [{ lock_reason: 'Spam' }, { lock_reason: 'Resolved' }])
      expect((await ann.client.put(lock, body)).status).toBe(204)
    for (let i = 0; i < 2; i++) expect((await ann.client.delete(lock)).status).toBe(204)
    expect((await ann.client.put(lock, {})).status).toBe(204)
    const entries = await timelineOf(ann, number)
    expect(entries.map((entry) => [entry.type, entry.body, entry.user.login])).toEqual([
      ['lock', 'Spam', 'ann'],
      ['unlock', '', 'ann'],
      ['lock', '', 'ann'],
    ])
    expect((await ann.client.get(`${DESK}/${number}`)).json.updated_at).toBe(entries[2].created_at)
  })

  it('are allowed to administrators, also in archived repositories', async () => {
    const { ann, bob, wes, server } = given
    const { number } = await createIssue(bob)
    const lock = `${DESK}/${number}/lock`
    for (const client of [bob.client, wes.client]) {
      const refused = await client.put(lock, {})
      expect([refused.status, refused.json.message]).toEqual([
        403,
        'user should be an owner or a collaborator with admin write of a repository',
      ])
      expect((await client.delete(lock)).status).toBe(403)
    }
    expect((await server.anonymous.put(lock, {})).status).toBe(401)
    expect((await ann.client.put(`${DESK}/999/lock`, {})).status).toBe(404)
    const long = await ann.client.put(lock, { lock_reason: 'x'.repeat(256) })
    expect([long.status, long.json.message]).toEqual([422, expect.stringContaining('LockReason')])
    await server.world.repo({ owner: ann, name: 'old', autoInit: true })
    const old = await createIssue(ann, {}, 'ann/old')
    await ann.client.patch('/repos/ann/old', { archived: true })
    expect((await ann.client.put(`/repos/ann/old/issues/${old.number}/lock`, {})).status).toBe(204)
  })
})
