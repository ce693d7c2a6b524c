import { expect, it } from 'vitest'
import { describeOnBoth } from '../harness/databases.ts'
import type { Any } from '../harness/client.ts'
import { row, rows } from '../harness/expect.ts'
import { createIssue, issueWorld } from './issue-world.ts'

const DESK = '/repos/ann/desk/issues'

describeOnBoth('issues of deleted accounts', (on) => {
  const given = issueWorld({ on })

  it('have Ghost as the author, and lose the account among the assignees', async () => {
    const { ann, wes, server } = given
    const root = await server.world.admin()
    const issue = await createIssue(wes, { assignees: ['wes', 'ann'] })
    const path = `${DESK}/${issue.number}`
    await wes.client.post('/user/repos', { name: 'own' })
    const his = await createIssue(wes, {}, 'wes/own')
    await wes.client.post(`${path}/dependencies`, { owner: 'wes', repo: 'own', index: his.number })
    await wes.client.post(`${path}/comments`, { body: 'words' })
    await wes.client.post(`${path}/times`, { time: 60 })
    await wes.client.post(`${path}/stopwatch/start`)
    const { open_issues_count: open } = (await ann.client.get('/repos/ann/desk')).json
    expect((await root.client.delete('/admin/users/wes?purge=true')).status).toBe(204)
    const left = (await ann.client.get(path)).json
    expect(left).toMatchObject({ user: { id: -1, login: 'Ghost' }, comments: 1, assignee: { login: 'ann' } })
    expect(left.assignees).toHaveLength(1)
    expect((await ann.client.get('/repos/ann/desk')).json.open_issues_count).toBe(open)
    expect((await ann.client.get(`${path}/dependencies`)).json).toEqual([])
    expect((await ann.client.get(`${path}/times`)).json).toMatchObject([{ user_id: -1, user_name: 'Ghost', time: 60 }])
    expect(await rows(server, 'stopwatch')).toEqual([])
    const timeline = (await ann.client.get(`${path}/timeline`)).json
    expect(timeline.every((entry: Any) => entry.user.login === 'Ghost')).toBe(true)
    expect((await ann.client.patch(path, { state: 'closed' })).status).toBe(201)
  })
})

describeOnBoth('labels that issues lose', (on) => {
  const given = issueWorld({ on })

  it('are removed with the label and its entries, without events', async () => {
    const { ann, server } = given
    const label = (await ann.client.post('/repos/ann/desk/labels', { name: 'bug', color: '#123456' })).json
    const issue = await createIssue(ann, { labels: [label.id] })
    expect((await ann.client.delete(`/repos/ann/desk/labels/${label.id}`)).status).toBe(204)
    expect((await ann.client.get(`${DESK}/${issue.number}`)).json.labels).toEqual([])
    expect(await rows(server, 'timeline_entry', { issue_id: issue.id })).toEqual([])
  })

  it('of an organization are removed when the repository is deleted or transferred, with correct counters', async () => {
    const { ann, server } = given
    await server.world.org('acme', { owner: ann })
    const wide = (await ann.client.post('/orgs/acme/labels', { name: 'wide', color: '#abcdef' })).json
    const count = async () => (await row(server, 'label', { id: wide.id })).issues_count
    for (const name of ['stays', 'goes', 'moves']) {
      await ann.client.post('/orgs/acme/repos', { name })
      await createIssue(ann, { labels: [wide.id] }, `acme/${name}`)
    }
    const own = (await ann.client.post('/repos/acme/moves/labels', { name: 'own', color: '#abcdef' })).json
    await ann.client.post('/repos/acme/moves/issues/1/labels', { labels: [own.id] })
    expect(await count()).toBe(3)
    expect((await ann.client.delete('/repos/acme/goes')).status).toBe(204)
    expect(await count()).toBe(2)
    expect((await ann.client.post('/repos/acme/moves/transfer', { new_owner: 'ann' })).status).toBe(202)
    expect(await count()).toBe(1)
    const moved = (await ann.client.get('/repos/ann/moves/issues/1')).json
    expect(moved.labels.map((label: Any) => label.name)).toEqual(['own'])
    expect((await ann.client.get('/repos/acme/stays/issues/1')).json.labels).toHaveLength(1)
  })
})
