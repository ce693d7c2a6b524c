import { expect, it } from 'vitest'
import { describeOnBoth } from '../../harness/databases.ts'
import { commitFile, createPull, newPull, PULLS, pullWorld } from './merge-world.ts'

describeOnBoth('updating the head of a pull request', (kind) => {
  const world = pullWorld({ on: kind })
  const update = (person: typeof world.wes, number: number, style = 'merge') =>
    person.client.post(`${PULLS}/${number}/update${style === '' ? '' : `?style=${style}`}`)
  const tip = async (branch: string, repo = 'ann/app') => {
    const { commit } = (await world.ann.client.get(`/repos/${repo}/branches/${branch}`)).json
    return (await world.ann.client.get(`/repos/${repo}/git/commits/${commit.id}`)).json
  }

  it('merges the base into the head, or rebases the head onto it', async () => {
    const byMerge = await newPull(world.wes, 'by-merge')
    const byRebase = await newPull(world.wes, 'by-rebase')
    const base = await commitFile(world.ann, { branch: 'main', path: 'newer.txt' })
    const answer = await update(world.wes, byMerge.number)
    const mergeCommit = await tip('by-merge')
    expect([answer.status, answer.json]).toEqual([
      200,
      { sha: mergeCommit.sha, message: 'Brought up to date with main' },
    ])
    expect(mergeCommit.commit).toMatchObject({
      message: "Merge branch 'main' into by-merge\n",
      author: { name: 'wes' },
    })
    expect(mergeCommit.parents).toMatchObject([{ sha: byMerge.head.sha }, { sha: base }])
    expect((await update(world.wes, byRebase.number, 'rebase')).status).toBe(200)
    const rebased = await tip('by-rebase')
    expect(rebased.commit.message).toBe('Add by-rebase.txt\n')
    expect(rebased.parents).toMatchObject([{ sha: base }])
    expect((await update(world.wes, byRebase.number)).status).toBe(422)
  })

  it('refuses conflicts, accounts without the right to push and closed pull requests', async () => {
    await commitFile(world.wes, { branch: 'clash', from: 'main', path: 'same.txt', text: 'theirs\n' })
    const { number } = await createPull(world.wes, { head: 'clash' })
    await commitFile(world.ann, { branch: 'main', path: 'same.txt', text: 'ours\n' })
    const conflicts = [await update(world.wes, number), await update(world.wes, number, 'rebase')]
    expect(conflicts.map(({ status, json }) => [status, json.message])).toEqual([
      [409, 'merge failed because of conflict'],
      [409, 'rebase failed because of conflict'],
    ])
    expect((await update(world.eve, number)).status).toBe(403)
    expect((await world.server.anonymous.post(`${PULLS}/${number}/update`)).status).toBe(401)
    expect((await update(world.wes, number, 'octopus')).status).toBe(422)
    await world.ann.client.patch('/repos/ann/app', { allow_rebase_update: false })
    expect((await update(world.wes, number, 'rebase')).status).toBe(403)
    await world.ann.client.patch('/repos/ann/app', { allow_rebase_update: true })
    await world.ann.client.patch(`/repos/ann/app/issues/${number}`, { state: 'closed' })
    expect((await update(world.wes, number)).status).toBe(422)
    expect((await update(world.wes, 999)).status).toBe(404)
  })

  it('takes the style of the repository by default, and refuses a style that the repository forbids', async () => {
    const { number } = await newPull(world.wes, 'by-default')
    const base = await commitFile(world.ann, { branch: 'main', path: 'for-default.txt' })
    const edited = await world.ann.client.patch('/repos/ann/app', {
      allow_merge_update: false,
      default_update_style: 'rebase',
    })
    expect(edited.json).toMatchObject({ allow_merge_update: false, default_update_style: 'rebase' })
    expect((await update(world.wes, number)).status).toBe(403)
    expect((await update(world.wes, number, '')).status).toBe(200)
    expect((await tip('by-default')).parents).toMatchObject([{ sha: base }])
    const unknown = await world.ann.client.patch('/repos/ann/app', { default_update_style: 'octopus' })
    expect(unknown.status).toBe(422)
    await world.ann.client.patch('/repos/ann/app', { allow_merge_update: true, default_update_style: 'merge' })
  })

  it('updates a fork for maintainers only if the author allows it', async () => {
    await commitFile(world.bob, { branch: 'open', from: 'main', repo: 'bob/app' })
    await commitFile(world.bob, { branch: 'own', from: 'main', repo: 'bob/app' })
    const open = await createPull(world.bob, { head: 'bob:open', allow_maintainer_edit: true })
    const own = await createPull(world.bob, { head: 'bob:own', allow_maintainer_edit: false })
    const base = await commitFile(world.ann, { branch: 'main', path: 'for-forks.txt' })
    expect((await update(world.wes, open.number)).status).toBe(200)
    expect((await tip('open', 'bob/app')).parents).toMatchObject([{ sha: open.head.sha }, { sha: base }])
    expect((await update(world.wes, own.number)).status).toBe(403)
    expect((await update(world.bob, own.number, 'rebase')).status).toBe(200)
    expect((await tip('own', 'bob/app')).parents).toMatchObject([{ sha: base }])
  })

  it('requires the right to force-push when the head is protected', async () => {
    const pull = await newPull(world.wes, 'guarded')
    await commitFile(world.ann, { branch: 'main', path: 'after-guarded.txt' })
    await world.ann.client.post('/repos/ann/app/branch_protections', { rule_name: 'guarded', enable_push: true })
    expect((await update(world.wes, pull.number, 'rebase')).status).toBe(403)
    expect((await update(world.wes, pull.number, 'merge')).status).toBe(200)
  })
})
