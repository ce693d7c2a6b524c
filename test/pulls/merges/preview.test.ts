import { expect, it } from 'vitest'
import type { Any } from '../../harness/client.ts'
import { describeOnBoth } from '../../harness/databases.ts'
import type { Person } from '../../harness/world.ts'
import { commitFile, createPull, merged, newPull, PULLS, pullWorld } from './merge-world.ts'

describeOnBoth('the preview of a merge', (kind) => {
  const world = pullWorld({ on: kind })
  const preview = async (person: Person, number: number, style = ''): Promise<Any> => {
    const answer = await person.client.get(`${PULLS}/${number}/merge/preview${style && `?style=${style}`}`)
    expect(answer.status, answer.text).toBe(200)
    return answer.json
  }

  it('shows the files and the message of a merge in each style', async () => {
    for (const style of ['fast-forward-only', 'merge', 'squash', 'rebase', 'rebase-merge']) {
      const { number, head } = await newPull(world.wes, `by-${style}`)
      if (style !== 'fast-forward-only') await commitFile(world.ann, { branch: 'main', path: `before-${style}.txt` })
      const shown = await preview(world.ann, number, style)
      expect(shown).toMatchObject({
        style,
        head_sha: head.sha,
        refusals: [],
        conflicts: [],
        conflicts_count: 0,
        conflict_sha: null,
      })
      expect((await preview(world.eve, number, style)).refusals).toEqual(['User not allowed to merge PR'])
      const commit = await merged(world.ann, number, { Do: style })
      const keeps = style === 'rebase' || style === 'fast-forward-only'
      const text = shown.body === '' ? `${shown.title}\n` : `${shown.title}\n\n${shown.body}\n`
      expect(text).toBe(keeps ? '\n' : commit.commit.message)
      const { json } = await world.ann.client.get(`/repos/ann/app/git/trees/${commit.sha}`)
      const { json: tree } = await world.ann.client.get(`/repos/ann/app/git/trees/${shown.tree_sha}`)
      expect(tree.tree.map(({ sha }: Any) => sha)).toEqual(json.tree.map(({ sha }: Any) => sha))
      expect(await preview(world.ann, number)).toMatchObject({
        style: 'merge',
        tree_sha: null,
        title: '',
        refusals: ['The PR is already merged'],
      })
    }
  })

  it('shows the conflicting lines and the conflicting commit', async () => {
    const same = { path: 'same.txt', from: 'main' }
    await commitFile(world.wes, { ...same, branch: 'clash', text: 'top\nhead\n' })
    const { number } = await createPull(world.wes, { head: 'clash' })
    await commitFile(world.ann, { branch: 'main', path: 'same.txt', text: `top\n${'base\n'.repeat(1000)}` })
    const shown = await preview(world.ann, number)
    expect(shown).toMatchObject({
      tree_sha: null,
      title: `Merge pull request 'A pull request' (#${number}) from clash into main`,
      conflicts_count: 1,
      conflicts: [{ filename: 'same.txt', truncated: true, hunks: [{ theirs: expect.stringContaining('head') }] }],
      conflict_sha: null,
      conflict_messages: expect.stringContaining('CONFLICT (add/add)'),
    })
    expect(shown.conflicts[0].hunks[0].ours).toHaveLength(4000)
    expect(shown.refusals).toEqual(['merge failed because of conflict'])
    const { head_sha: head } = shown
    expect(await preview(world.ann, number, 'rebase')).toMatchObject({ conflict_sha: head, conflicts_count: 1 })
    await world.server.drain()
    const checked = ['Please try again later', 'merge failed because of conflict']
    expect((await preview(world.ann, number, 'squash')).refusals).toEqual(checked)
    expect((await preview(world.ann, number, 'fast-forward-only')).refusals).toHaveLength(2)
  })

  it('returns every reason why the merge would be refused', async () => {
    await world.ann.client.patch('/repos/ann/app', { allow_squash_merge: false, default_merge_style: 'squash' })
    await world.ann.client.post('/repos/ann/app/branch_protections', {
      rule_name: 'main',
      enable_push: true,
      required_approvals: 1,
      block_on_outdated_branch: true,
    })
    const { number } = await newPull(world.wes, 'refused', { title: 'WIP: refused' })
    await commitFile(world.ann, { branch: 'main', path: 'newer.txt' })
    await world.server.drain()
    const reasons = [
      'Work in progress PRs cannot be merged',
      'Does not have enough approvals',
      'The head branch is behind the base branch',
      'squash is not allowed an allowed merge style for this repository',
    ]
    const shown = await preview(world.ann, number)
    expect(shown).toMatchObject({ style: 'squash', refusals: reasons, tree_sha: expect.any(String) })
    expect((await world.ann.client.post(`${PULLS}/${number}/merge`, { Do: 'squash' })).json.message).toBe(reasons[0])
    await world.ann.client.patch(`${PULLS}/${number}`, { state: 'closed' })
    expect((await preview(world.ann, number)).refusals[0]).toBe('the pull request is closed')
  })

  it('requires an account that can read the repository, and a known style', async () => {
    const { number } = await newPull(world.wes, 'asked')
    const path = `${PULLS}/${number}/merge/preview`
    expect((await world.server.anonymous.get(path)).status).toBe(401)
    expect((await world.eve.client.get(`${path}?style=octopus`)).status).toBe(422)
    expect((await world.eve.client.get(`${path}?style=manually-merged`)).status).toBe(422)
    expect((await world.eve.client.get(`${PULLS}/9999/merge/preview`)).status).toBe(404)
    await world.ann.client.patch('/repos/ann/app', { private: true })
    const hidden = await world.eve.client.get(path)
    const missing = await world.eve.client.get(path.replace('/app/', '/none/'))
    expect([hidden.status, hidden.text]).toEqual([404, missing.text])
    expect((await preview(world.wes, number)).refusals).not.toEqual([])
  })
})
