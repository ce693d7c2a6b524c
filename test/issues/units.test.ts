import { describe, expect, it } from 'vitest'
import { createIssue, issueWorld } from './issue-world.ts'

describe('units of issues', () => {
  const given = issueWorld()

  it('issues are 404 if the unit is disabled; administrators may still create them', async () => {
    const { ann, bob, server } = given
    await server.world.repo({ owner: ann, name: 'off', autoInit: true })
    const { number } = await createIssue(ann, {}, 'ann/off')
    await ann.client.patch('/repos/ann/off', { has_issues: false })
    const get = (path: string) => ann.client.get(`/repos/ann/off/issues${path}`)
    expect((await get(`/${number}`)).status).toBe(404)
    expect((await get('?type=issues')).status).toBe(404)
    expect((await get('')).json).toEqual([])
    expect(await bob.client.post('/repos/ann/off/issues', { title: 'x' })).toMatchObject({
      status: 403,
      json: { message: 'the unit issues is off in this repository' },
    })
    expect((await ann.client.post('/repos/ann/off/issues', { title: 'x' })).status).toBe(201)
    await ann.client.patch('/repos/ann/off', { has_pull_requests: false })
    expect((await get('')).status).toBe(404)
    expect((await ann.client.post('/repos/ann/off/issues', { title: 'x' })).status).toBe(404)
  })

  it('an empty repository has no pull requests', async () => {
    const { ann, server } = given
    await server.world.repo({ owner: ann, name: 'bare' })
    await ann.client.patch('/repos/ann/bare', { has_issues: false })
    expect((await ann.client.get('/repos/ann/bare/issues')).status).toBe(404)
  })

  it('archived repositories reject new issues and accept edits', async () => {
    const { ann, server } = given
    await server.world.repo({ owner: ann, name: 'old', autoInit: true })
    const { number } = await createIssue(ann, {}, 'ann/old')
    await ann.client.patch('/repos/ann/old', { archived: true })
    const refused = await ann.client.post('/repos/ann/old/issues', { title: 'x' })
    expect([refused.status, refused.json.message]).toEqual([423, 'ann/old is archived'])
    expect((await ann.client.patch(`/repos/ann/old/issues/${number}`, { title: 'Edited' })).status).toBe(201)
  })
})
