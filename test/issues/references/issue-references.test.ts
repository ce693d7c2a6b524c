import { describe, expect, it } from 'vitest'
import type { Any } from '../../harness/client.ts'
import { describeOnBoth } from '../../harness/databases.ts'
import type { Person } from '../../harness/world.ts'
import { createIssue, issueWorld } from '../issue-world.ts'

const REFERENCES = ['issue_ref', 'comment_ref', 'pull_ref', 'commit_ref']

/** The references in the timeline of an issue, as `type action source`. */
async function referencesOf(person: Person, number: number, repo = 'ann/desk'): Promise<string[]> {
  const { status, json } = await person.client.get(`/repos/${repo}/issues/${number}/timeline`)
  expect(status).toBe(200)
  return (json as Any[])
    .filter(({ type }) => REFERENCES.includes(type))
    .map(
      ({ type, ref_action, ref_issue }) =>
        `${type} ${ref_action} ${ref_issue.repository.full_name}#${ref_issue.number}`,
    )
}

describeOnBoth('a title or body that refers to issues', (kind) => {
  const world = issueWorld({ on: kind })

  it('adds one entry to each timeline, without the effect of keywords', async () => {
    const [one, two] = [await createIssue(world.ann), await createIssue(world.ann)]
    const source = await createIssue(world.wes, {
      title: `See #${one.number}`,
      body: `closes #${one.number}, ann/desk#${two.number} and \`#${two.number}\`, ${world.server.url}/ann/desk/issues/${two.number}`,
    })
    const entry = `issue_ref none ann/desk#${source.number}`
    expect(await referencesOf(world.bob, one.number)).toEqual([entry])
    expect(await referencesOf(world.bob, two.number)).toEqual([entry])
    expect(await referencesOf(world.bob, source.number)).toEqual([])
    expect((await world.bob.client.get(`/repos/ann/desk/issues/${one.number}`)).json.state).toBe('open')
  })

  it('adds and neutralizes entries when it is edited', async () => {
    const [one, two] = [await createIssue(world.ann), await createIssue(world.ann)]
    const source = await createIssue(world.ann, { body: `#${one.number} and #${one.number}` })
    const edit = (body: object) => world.ann.client.patch(`/repos/ann/desk/issues/${source.number}`, body)
    const from = `ann/desk#${source.number}`
    expect((await edit({ body: `#${two.number}`, title: `About #${one.number}` })).status).toBe(201)
    expect(await referencesOf(world.ann, one.number)).toEqual([`issue_ref none ${from}`])
    expect(await referencesOf(world.ann, two.number)).toEqual([`issue_ref none ${from}`])
    expect((await edit({ title: 'About nothing' })).status).toBe(201)
    expect(await referencesOf(world.ann, one.number)).toEqual([`issue_ref neutered ${from}`])
    expect((await edit({ body: `#${two.number} #${one.number}` })).status).toBe(201)
    expect(await referencesOf(world.ann, one.number)).toEqual([`issue_ref neutered ${from}`, `issue_ref none ${from}`])
    expect(await referencesOf(world.ann, two.number)).toEqual([`issue_ref none ${from}`])
  })

  it('sets its time on the entries and on the referenced issues', async () => {
    const target = await createIssue(world.ann)
    const source = await createIssue(world.ann)
    const edit = (body: object) => world.ann.client.patch(`/repos/ann/desk/issues/${source.number}`, body)
    await new Promise((resolve) => setTimeout(resolve, 1100))
    for (const body of [`#${target.number}`, 'nothing']) {
      expect((await edit({ body, updated_at: source.created_at })).status).toBe(201)
      const read = `/repos/ann/desk/issues/${target.number}`
      expect((await world.ann.client.get(read)).json.updated_at).toBe(source.created_at)
      const [entry] = ((await world.ann.client.get(`${read}/timeline`)).json as Any[]).filter(
        ({ type }) => type === 'issue_ref',
      )
      expect(entry).toMatchObject({ created_at: source.created_at, updated_at: source.created_at })
    }
  })

  it('is ignored if the author may not read the issue, and hidden from users who may not read the text', async () => {
    const hidden = await createIssue(world.ann, {}, 'ann/vault')
    const open = await createIssue(world.ann)
    await createIssue(world.bob, { body: `ann/vault#${hidden.number}` })
    expect(await referencesOf(world.ann, hidden.number, 'ann/vault')).toEqual([])
    const source = await createIssue(world.ann, { body: `ann/desk#${open.number}` }, 'ann/vault')
    expect(await referencesOf(world.bob, open.number)).toEqual([])
    expect(await referencesOf(world.ann, open.number)).toEqual([`issue_ref none ann/vault#${source.number}`])
  })

  it('preserves a reference to an issue that an editor may not read', async () => {
    const hidden = await createIssue(world.ann, {}, 'ann/vault')
    const source = await createIssue(world.ann, { body: `ann/vault#${hidden.number}` })
    const edited = { body: `ann/vault#${hidden.number} and more` }
    expect((await world.wes.client.patch(`/repos/ann/desk/issues/${source.number}`, edited)).status).toBe(201)
    expect(await referencesOf(world.ann, hidden.number, 'ann/vault')).toEqual([
      `issue_ref none ann/desk#${source.number}`,
    ])
  })

  it('does not exceed the access of a token for public repositories', async () => {
    const hidden = await createIssue(world.ann, {}, 'ann/vault')
    const token = await world.ann.withToken('public-only', 'write:issue', 'write:repository')
    const body = `ann/vault#${hidden.number}`
    expect((await token.post('/repos/ann/desk/issues', { title: 'From a token', body })).status).toBe(201)
    expect(await referencesOf(world.ann, hidden.number, 'ann/vault')).toEqual([])
  })

  it('is ignored if the author is blocked', async () => {
    const target = await createIssue(world.bob)
    expect((await world.bob.client.put('/user/blocks/wes')).status).toBe(204)
    await createIssue(world.wes, { body: `#${target.number}` })
    expect(await referencesOf(world.ann, target.number)).toEqual([])
    expect((await world.bob.client.delete('/user/blocks/wes')).status).toBe(204)
  })

  it('deletes its entries when it is deleted', async () => {
    const target = await createIssue(world.ann)
    const source = await createIssue(world.ann, { body: `#${target.number}` })
    expect((await world.ann.client.delete(`/repos/ann/desk/issues/${source.number}`)).status).toBe(204)
    expect(await referencesOf(world.ann, target.number)).toEqual([])
  })

  it('deletes its entries when its repository or the owner is deleted', async () => {
    const target = await createIssue(world.ann)
    const cyd = await world.server.world.user('cyd')
    for (const name of ['one', 'two']) {
      await world.server.world.repo({ owner: cyd, name })
      await createIssue(cyd, { body: `ann/desk#${target.number}` }, `cyd/${name}`)
    }
    expect(await referencesOf(world.ann, target.number)).toHaveLength(2)
    expect((await cyd.client.delete('/repos/cyd/one')).status).toBe(204)
    expect(await referencesOf(world.ann, target.number)).toEqual(['issue_ref none cyd/two#1'])
    const root = await world.server.world.admin()
    expect((await root.client.delete('/admin/users/cyd?purge=true')).status).toBe(204)
    expect(await referencesOf(world.ann, target.number)).toEqual([])
  })
})

describe('a body with many references', () => {
  const world = issueWorld()

  it('adds entries for the first 100 references', async () => {
    const target = await createIssue(world.ann)
    const missing = Array.from({ length: 100 }, (_, position) => `#${position + 900}`).join(' ')
    await createIssue(world.ann, { body: `${missing} #${target.number}` })
    expect(await referencesOf(world.ann, target.number)).toEqual([])
    await createIssue(world.ann, { body: `#${target.number} ${missing}` })
    expect(await referencesOf(world.ann, target.number)).toHaveLength(1)
  })
})
