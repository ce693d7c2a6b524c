import { expect, it } from 'vitest'
import { describeOnBoth } from '../../harness/databases.ts'
import { commitFile, newPull, PULLS, pullWorld } from './merge-world.ts'

describeOnBoth('a pull request whose base was pushed with its commits', (kind) => {
  const world = pullWorld({ on: kind })
  const shown = async (number: number) => (await world.ann.client.get(`${PULLS}/${number}`)).json
  const moveMain = async (to: string, from: string) =>
    expect(
      (await world.ann.client.put('/repos/ann/app/branches/main', { new_commit_id: to, old_commit_id: from })).status,
    ).toBe(204)
  const tip = async () => (await world.ann.client.get('/repos/ann/app/branches/main')).json.commit.id

  it('stays open unless the repository detects merges', async () => {
    const pull = await newPull(world.wes, 'undetected')
    await moveMain(pull.head.sha, await tip())
    await world.server.drain()
    expect(await shown(pull.number)).toMatchObject({ merged: false, state: 'open', mergeable: true })
  })

  it('counts as merged by the account that pushed, and does not affect others', async () => {
    await world.ann.client.patch('/repos/ann/app', { autodetect_manual_merge: true })
    const pull = await newPull(world.wes, 'detected')
    const other = await newPull(world.wes, 'other')
    await moveMain(pull.head.sha, await tip())
    await world.server.drain()
    expect(await shown(pull.number)).toMatchObject({
      merged: true,
      state: 'closed',
      merge_commit_sha: pull.head.sha,
      merged_by: { login: 'ann' },
    })
    expect(await shown(other.number)).toMatchObject({ merged: false, state: 'open' })
    await commitFile(world.ann, { branch: 'main', path: 'later.txt' })
    await world.server.drain()
    expect((await shown(pull.number)).merge_commit_sha).toBe(pull.head.sha)
  })
})
