import { expect, it } from 'vitest'
import { describeOnBoth } from '../harness/databases.ts'
import { numbered } from '../core/git/diff/diff-fixture.ts'
import { commitFile, createPull, pullWorld } from './pull-world.ts'
import { pushBranches } from './pushed-history.ts'

describeOnBoth('the diff of a pull request', (kind) => {
  const world = pullWorld({ on: kind })

  async function shown(number: number) {
    const { anonymous } = world.server
    const [diff, patch, files, commits] = await Promise.all(
      ['.diff', '.patch', '/files', '/commits'].map((path) => anonymous.get(`/repos/ann/app/pulls/${number}${path}`)),
    )
    return {
      status: [diff, patch, files, commits].map((answer) => answer!.status),
      texts: [diff!.text, patch!.text],
      files: files!.json.map((file: { filename: string }) => file.filename),
      commits: commits!.json.map((commit: { sha: string }) => commit.sha),
    }
  }

  it('stays when the base moves on and when the head branch is deleted', async () => {
    const { ann } = world
    const head = await commitFile(ann, { branch: 'gone', from: 'main' })
    const { number } = await createPull(ann, { head: 'gone' })
    const before = await shown(number)
    expect(before).toMatchObject({ status: [200, 200, 200, 200], files: ['gone.txt'], commits: [head] })
    await commitFile(ann, { branch: 'main', path: 'later.txt' })
    expect((await ann.client.delete('/repos/ann/app/branches/gone')).status).toBe(204)
    await world.server.drain()
    expect(await shown(number)).toEqual(before)
  })

  it('stays when the fork is deleted', async () => {
    const { bob } = world
    const head = await commitFile(bob, { branch: 'theirs', from: 'main', repo: 'bob/app' })
    const { number } = await createPull(bob, { head: 'bob:theirs' })
    const before = await shown(number)
    expect(before).toMatchObject({ status: [200, 200, 200, 200], files: ['theirs.txt'], commits: [head] })
    expect((await bob.client.delete('/repos/bob/app')).status).toBe(204)
    await world.server.drain()
    expect(await shown(number)).toEqual(before)
  })

  it('is empty when the head has no new commits', async () => {
    const { ann, server } = world
    await pushBranches(server, ann, 'ann/app', [{ branch: 'other', files: { x: numbered(3) } }])
    await ann.client.post('/repos/ann/app/branches', { new_branch_name: 'same', old_branch_name: 'main' })
    const { number } = await createPull(ann, { head: 'same' })
    expect(await shown(number)).toEqual({ status: [200, 200, 200, 200], texts: ['', ''], files: [], commits: [] })
    const { headers } = await server.anonymous.get(`/repos/ann/app/pulls/${number}/files`)
    expect([headers.get('x-total-count'), headers.get('x-pagecount'), headers.get('x-hasmore')]).toEqual([
      '0',
      '0',
      'false',
    ])
  })
})
