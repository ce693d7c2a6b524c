import { describe, expect, it } from 'vitest'
import { describeOnBoth } from '../harness/databases.ts'
import type { Any } from '../harness/client.ts'
import { rows } from '../harness/expect.ts'
import type { Person } from '../harness/world.ts'
import { createIssue, issueWorld } from './issue-world.ts'

const DESK = '/repos/ann/desk/issues'

async function comment(person: Person, number: number): Promise<number> {
  const answer = await person.client.post(`${DESK}/${number}/comments`, { body: 'words' })
  expect(answer.status).toBe(201)
  return answer.json.id
}

const contents = (answer: Any): string[] => answer.json.map((reaction: Any) => reaction.content)

describeOnBoth('reactions', (on) => {
  const given = issueWorld({ on })

  it('are added once by each user, to issues and comments, and change nothing else', async () => {
    const { ann, bob, server } = given
    const issue = await createIssue(ann)
    const id = await comment(bob, issue.number)
    const { updated_at: before } = (await ann.client.get(`${DESK}/${issue.number}`)).json
    for (const path of [`${DESK}/${issue.number}/reactions`, `${DESK}/comments/${id}/reactions`]) {
      const first = await bob.client.post(path, { content: '+1' })
      expect([first.status, first.json]).toEqual([
        201,
        { user: expect.objectContaining({ login: 'bob' }), content: '+1', created_at: expect.any(String) },
      ])
      const again = await bob.client.post(path, { content: '+1' })
      expect([again.status, again.json]).toEqual([200, first.json])
      expect((await ann.client.post(path, { content: 'heart' })).status).toBe(201)
      expect(contents(await server.anonymous.get(path))).toEqual(['+1', 'heart'])
      expect((await ann.client.delete(path, { content: '+1' })).status).toBe(204)
      expect((await bob.client.delete(path, { content: '+1' })).status).toBe(204)
      expect((await bob.client.delete(path, { content: '+1' })).status).toBe(204)
      expect(contents(await server.anonymous.get(path))).toEqual(['heart'])
    }
    expect((await ann.client.get(`${DESK}/${issue.number}`)).json.updated_at).toBe(before)
  })

  it('are paged on issues, and stored once under concurrent requests', async () => {
    const { ann, bob } = given
    const { number } = await createIssue(ann)
    const path = `${DESK}/${number}/reactions`
    const answers = await Promise.all(Array.from({ length: 6 }, () => bob.client.post(path, { content: 'eyes' })))
    expect(answers.map(({ status }) => status).toSorted((a, b) => b - a)).toEqual([201, 200, 200, 200, 200, 200])
    await ann.client.post(path, { content: 'rocket' })
    const page = await ann.client.get(`${path}?limit=1&page=2`)
    expect([contents(page), page.headers.get('x-total-count')]).toEqual([['rocket'], '2'])
  })

  it('are deleted with the comment, the issue and the user', async () => {
    const { ann, bob, server } = given
    const { number, id } = await createIssue(ann)
    const said = await comment(ann, number)
    await bob.client.post(`${DESK}/${number}/reactions`, { content: 'heart' })
    await ann.client.post(`${DESK}/${number}/reactions`, { content: 'heart' })
    await bob.client.post(`${DESK}/comments/${said}/reactions`, { content: 'heart' })
    const left = async () => (await rows(server, 'reaction', { issue_id: id })).length
    await ann.client.delete(`${DESK}/comments/${said}`)
    expect(await left()).toBe(2)
    const root = await server.world.admin()
    expect((await root.client.delete('/admin/users/bob?purge=true')).status).toBe(204)
    expect(await left()).toBe(1)
    expect((await ann.client.get(`${DESK}/${number}/reactions`)).json).toHaveLength(1)
    await ann.client.delete(`${DESK}/${number}`)
    expect(await left()).toBe(0)
  })
})

describe('permissions for reactions', () => {
  const given = issueWorld({ settings: { 'ui.reactions': '+1,tada' } })

  it('let readers react with the configured and published reactions', async () => {
    const { ann, bob, server } = given
    const { number } = await createIssue(ann)
    const path = `${DESK}/${number}/reactions`
    const message = async (body: object) => (await bob.client.post(path, body)).json.message
    expect((await server.anonymous.get('/settings/ui')).json.allowed_reactions).toEqual(['+1', 'tada'])
    expect((await bob.client.post(path, { content: 'tada' })).status).toBe(201)
    expect(await message({ content: 'heart' })).toBe("'heart' is not an allowed reaction")
    expect(await message({})).toBe("'' is not an allowed reaction")
    expect((await bob.client.post(path, { content: 7 })).status).toBe(422)
    expect((await server.anonymous.post(path, { content: '+1' })).status).toBe(401)
    expect((await bob.client.post(`${DESK}/999/reactions`, { content: '+1' })).status).toBe(404)
    const secret = await createIssue(ann, {}, 'ann/vault')
    expect((await bob.client.get(`/repos/ann/vault/issues/${secret.number}/reactions`)).status).toBe(404)
  })

  it('exclude comments of other repositories, and events', async () => {
    const { ann, server } = given
    const { number, id } = await createIssue(ann)
    const said = await comment(ann, number)
    await ann.client.patch(`${DESK}/${number}`, { title: 'Retitled' })
    const [event] = await rows(server, 'timeline_entry', { issue_id: id, kind: 'change_title' })
    const status = async (path: string) => (await ann.client.post(path, { content: '+1' })).status
    expect(await status(`/repos/ann/vault/issues/comments/${said}/reactions`)).toBe(404)
    expect(await status(`${DESK}/comments/${event!.id}/reactions`)).toBe(404)
    expect((await ann.client.get(`${DESK}/comments/${event!.id}/reactions`)).status).toBe(404)
  })

  it('exclude locked issues, except for writers', async () => {
    const { ann, bob, wes } = given
    const { number } = await createIssue(bob)
    const said = await comment(bob, number)
    await ann.client.put(`${DESK}/${number}/lock`, {})
    for (const path of [`${DESK}/${number}/reactions`, `${DESK}/comments/${said}/reactions`]) {
      const refused = await bob.client.post(path, { content: '+1' })
      expect([refused.status, refused.json.message]).toEqual([403, 'no permission to change reaction'])
      expect((await bob.client.delete(path, { content: '+1' })).status).toBe(403)
      expect((await wes.client.post(path, { content: '+1' })).status).toBe(201)
    }
  })

  it('exclude users whom the owner of the repository or the author blocks, even writers', async () => {
    const { ann, bob, wes } = given
    const { number } = await createIssue(bob)
    const said = await comment(ann, number)
    await bob.client.put('/user/block/wes')
    const react = (path: string) => wes.client.post(path, { content: '+1' })
    const refused = await react(`${DESK}/${number}/reactions`)
    expect([refused.status, refused.json.message]).toEqual([403, 'user is blocked'])
    expect((await react(`${DESK}/comments/${said}/reactions`)).status).toBe(403)
    const other = await createIssue(ann)
    expect((await react(`${DESK}/${other.number}/reactions`)).status).toBe(201)
    const his = await comment(bob, other.number)
    expect((await react(`${DESK}/comments/${his}/reactions`)).status).toBe(403)
    await ann.client.put('/user/block/bob')
    expect((await bob.client.post(`${DESK}/${other.number}/reactions`, { content: '+1' })).status).toBe(403)
  })
})
