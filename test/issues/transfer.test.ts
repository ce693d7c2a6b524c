import { describe, expect, it } from 'vitest'
import { viewerOfAccount } from '../../src/core/access/viewer.ts'
import { accessQueries } from '../../src/domains/repositories/index.ts'
import { describeOnBoth } from '../harness/databases.ts'
import type { Any } from '../harness/client.ts'
import { expectEvents, lastEventId, row, rows } from '../harness/expect.ts'
import { createIssue, issueWorld } from './issue-world.ts'

const DESK = '/repos/ann/desk'
const VAULT = '/repos/ann/vault'

describeOnBoth('transferred issues', (on) => {
  const given = issueWorld({ on })

  it('get a new number and preserve their data, with labels and milestone by name', async () => {
    const { ann, bob, server } = given
    const make = async (path: string, body: object): Promise<Any> => (await ann.client.post(path, body)).json
    const color = '#123456'
    const [bug, gone] = [
      await make(`${DESK}/labels`, { name: 'bug', color }),
      await make(`${DESK}/labels`, { name: 'gone', color }),
    ]
    const theirs = await make(`${VAULT}/labels`, { name: 'bug', color: '#654321' })
    const from = await make(`${DESK}/milestones`, { title: 'v1' })
    const to = await make(`${VAULT}/milestones`, { title: 'v1' })
    await createIssue(ann, {}, 'ann/vault')
    const other = await createIssue(ann)
    const planned = { labels: [bug.id, gone.id], milestone: from.id, assignees: ['ann', 'wes'] }
    const issue = await createIssue(ann, planned)
    const path = `${DESK}/issues/${issue.number}`
    await bob.client.post(`${path}/comments`, { body: `see #${other.number}` })
    await bob.client.post(`${path}/reactions`, { content: 'heart' })
    await ann.client.post(`${path}/times`, { time: 60 })
    await ann.client.post(`${path}/dependencies`, { index: other.number })
    await ann.client.post(`${path}/pin`)
    await server.drain()
    const mark = await lastEventId(server)
    const moved = await ann.client.post(`${path}/transfer`, { repo: 'vault' })
    expect([moved.status, moved.json]).toMatchObject([
      201,
      {
        id: issue.id,
        number: 2,
        comments: 1,
        pin_order: 0,
        labels: [theirs],
        milestone: { id: to.id, open_issues: 1 },
      },
    ])
    expect(moved.json.repository.full_name).toBe('ann/vault')
    expect(moved.json.assignees.map((user: Any) => user.login)).toEqual(['ann'])
    await expectEvents(server, { after: mark }, [
      ['issue.transferred', { issue_id: issue.id, number: 2, old_number: issue.number }],
    ])
    const there = `${VAULT}/issues/2`
    expect((await ann.client.get(`${there}/comments`)).json).toHaveLength(1)
    expect((await ann.client.get(`${there}/reactions`)).json).toHaveLength(1)
    expect((await ann.client.get(`${there}/dependencies`)).json).toMatchObject([{ number: other.number }])
    expect((await ann.client.get(`${VAULT}/times`)).json).toMatchObject([{ time: 60 }])
    expect((await ann.client.get(`${DESK}/times`)).json).toEqual([])
    expect((await ann.client.get(`${VAULT}/issues/comments`)).json).toHaveLength(1)
    const texts = await rows(server, 'issue_text', { issue_id: issue.id })
    expect(texts.map((text) => text.repo_id)).toEqual(texts.map(() => moved.json.repository.id))
    expect(texts.length).toBeGreaterThan(0)
    for (const [id, count] of [
      [bug.id, 0],
      [gone.id, 0],
      [theirs.id, 1],
    ])
      expect((await row(server, 'label', { id })).issues_count).toBe(count)
    expect((await ann.client.get(`${DESK}/milestones/${from.id}`)).json.open_issues).toBe(0)
    expect((await ann.client.get(DESK)).json.open_issues_count).toBe(1)
    expect((await ann.client.get(VAULT)).json.open_issues_count).toBe(2)
  })

  it('are found by their old URL, also after another transfer; the number is not reused', async () => {
    const { ann, bob } = given
    const issue = await createIssue(ann)
    const old = `${DESK}/issues/${issue.number}`
    await ann.client.post('/user/repos', { name: 'third' })
    const first = (await ann.client.post(`${old}/transfer`, { repo: 'vault' })).json
    const root = '/api/v1'
    const location = async (path: string) => {
      const answer = await ann.client.get(path)
      return [answer.status, answer.headers.get('location')]
    }
    expect(await location(old)).toEqual([301, `${root}${VAULT}/issues/${first.number}`])
    expect(await location(`${old}/labels?x=1`)).toEqual([301, `${root}${VAULT}/issues/${first.number}/labels?x=1`])
    expect((await bob.client.get(old)).status).toBe(404)
    await ann.client.post(`${VAULT}/issues/${first.number}/transfer`, { repo: 'third' })
    expect(await location(old)).toEqual([301, `${root}/repos/ann/third/issues/1`])
    expect((await bob.client.get(old)).headers.get('location')).toBe(`${root}/repos/ann/third/issues/1`)
    expect((await createIssue(ann)).number).toBe(issue.number + 1)
    await ann.client.delete('/repos/ann/third/issues/1')
    expect((await ann.client.get(old)).status).toBe(404)
  })

  it('are not changed by a request that read them in their former repository', async () => {
    const { ann, server } = given
    const { database, issues, repos } = server.app
    const { id, number } = await createIssue(ann)
    const viewer = viewerOfAccount(ann.user)
    const issue = await issues.getById(id)
    const repo = await repos.getById(issue.repoId)
    const target = { repo, access: await accessQueries.load(database.read, viewer, repo), issue }
    expect((await ann.client.post(`${DESK}/issues/${number}/transfer`, { repo: 'vault' })).status).toBe(201)
    const counts = async () => (await rows(server, 'repo', {})).map((each) => each.open_issues_count)
    const before = await counts()
    await expect(issues.edit(viewer, target, { state: 'closed' })).rejects.toThrow('the issue was transferred')
    expect([await counts(), (await issues.getById(id)).isClosed]).toEqual([before, false])
  })
})

describe('permissions for transfers', () => {
  const given = issueWorld()

  it('require write access to both repositories', async () => {
    const { ann, bob, wes, server } = given
    await ann.client.post('/user/repos', { name: 'open' })
    const { number } = await createIssue(bob)
    const path = `${DESK}/issues/${number}/transfer`
    const transfer = async (person: typeof ann, repo: string) => (await person.client.post(path, { repo })).status
    expect(await transfer(bob, 'open')).toBe(403)
    expect(await transfer(wes, 'open')).toBe(403)
    expect(await transfer(wes, 'vault')).toBe(404)
    expect(await transfer(ann, 'missing')).toBe(404)
    expect(await transfer(ann, 'desk')).toBe(422)
    expect((await ann.client.post(path, {})).json.message).toBe('[Repo]: Required')
    expect((await server.anonymous.post(path, { repo: 'open' })).status).toBe(401)
    await ann.client.patch('/repos/ann/open', { archived: true })
    expect(await transfer(ann, 'open')).toBe(423)
    expect(await rows(server, 'issue_redirect')).toEqual([])
  })
})
