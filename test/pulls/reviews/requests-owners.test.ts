import { expect, it } from 'vitest'
import { describeOnBoth } from '../../harness/databases.ts'
import type { Person } from '../../harness/world.ts'
import { commitFile } from '../pull-world.ts'
import { openPull, requestEntries, requestWorld, reviewersOf } from './request-world.ts'

describeOnBoth('the owners of changed files', (kind) => {
  const world = requestWorld({ on: kind })
  /** A new repository with a CODEOWNERS file that wes can write. */
  async function repoWith(name: string, owners: string, path = 'CODEOWNERS', owner = world.ann): Promise<string> {
    await world.server.world.repo({ owner, name, autoInit: true })
    const repo = `${owner.name}/${name}`
    await commitFile(owner, { branch: 'main', path, text: owners, repo })
    await owner.client.put(`/repos/${repo}/collaborators/wes`, { permission: 'write' })
    return repo
  }
  const settled = async (repo: string, number: number): Promise<string[]> => {
    await world.server.drain()
    return reviewersOf(world.ann, number, repo)
  }

  it('are requested as the author, by all matching lines', async () => {
    const repo = await repoWith(
      'owned',
      '# who\nlib/.* @ann @nobody @acme\n/lib/.*\\.ts @bob\n.*\\.md @eve\n!lib/.* @eve\n',
    )
    const { number } = await openPull(world.wes, 'change', { repo, path: 'lib/a.ts' })
    expect(await settled(repo, number)).toEqual(['ann', 'bob'])
    expect(await requestEntries(world.ann, number, repo)).toEqual([
      ['wes', 'ann'],
      ['wes', 'bob'],
    ])
  })

  it('are read from the first file of the default branch', async () => {
    for (const path of ['docs/CODEOWNERS', '.gitea/CODEOWNERS', '.forgejo/CODEOWNERS']) {
      const repo = await repoWith(`in-${path.split('/')[0]!.replace('.', '')}`, '.* @bob', path)
      await commitFile(world.ann, { branch: 'other', from: 'main', path: 'CODEOWNERS', text: '.* @eve', repo })
      const { number } = await openPull(world.wes, 'change', { repo })
      expect(await settled(repo, number)).toEqual(['bob'])
      await commitFile(world.ann, { branch: 'main', path: 'CODEOWNERS', text: '.* @ann', repo })
      await commitFile(world.wes, { branch: 'change', path: 'more.txt', repo })
      expect(await settled(repo, number)).toEqual(['bob', 'ann'])
    }
  })

  it('are requested for new commits, unless they were requested before', async () => {
    const repo = await repoWith('pushed', 'a.* @bob\nb.* @bob @eve\nc.* @wes\n')
    const { number } = await openPull(world.wes, 'change', { repo, path: 'a.txt' })
    expect(await settled(repo, number)).toEqual(['bob'])
    await commitFile(world.wes, { branch: 'change', path: 'b.txt', repo })
    await commitFile(world.wes, { branch: 'change', path: 'c.txt', repo })
    expect(await settled(repo, number)).toEqual(['bob', 'eve'])
    expect(await requestEntries(world.ann, number, repo)).toHaveLength(2)
  })

  it('are requested when a draft becomes ready, not before', async () => {
    const repo = await repoWith('drafts', '.* @bob')
    const { number } = await openPull(world.wes, 'change', { repo, title: 'WIP: not yet' })
    expect(await settled(repo, number)).toEqual([])
    await commitFile(world.wes, { branch: 'change', path: 'more.txt', repo })
    expect(await settled(repo, number)).toEqual([])
    const rename = (title: string) => world.wes.client.patch(`/repos/${repo}/pulls/${number}`, { title })
    expect((await rename('[WIP] still not')).status).toBe(201)
    expect(await settled(repo, number)).toEqual([])
    expect((await rename('Now')).status).toBe(201)
    expect(await settled(repo, number)).toEqual(['bob'])
  })

  it('can be teams of the organization', async () => {
    const { ann, acme, server } = world
    await server.world.repo({ owner: acme.org, by: ann, name: 'teams', autoInit: true })
    const text = '.* @ACME/core @other/core @acme/nobody @wes'
    await commitFile(ann, { branch: 'main', path: 'CODEOWNERS', text, repo: 'acme/teams' })
    const { number } = await openPull(ann, 'change', { repo: 'acme/teams' })
    expect(await settled('acme/teams', number)).toEqual(['wes', 'core'])
  })

  it('are not requested in forks, nor if they cannot read or block the author', async () => {
    const { ann, acme, bob, server } = world
    const max = await server.world.user('max')
    await max.client.put('/user/blocks/ann')
    await server.world.repo({ owner: acme.org, by: ann, name: 'closed', isPrivate: true, autoInit: true })
    const text = '.* @max @eve @wes @acme/core'
    await commitFile(ann, { branch: 'main', path: 'CODEOWNERS', text, repo: 'acme/closed' })
    await ann.client.put('/repos/acme/closed/collaborators/wes', { permission: 'read' })
    await ann.client.put('/repos/acme/closed/collaborators/max', { permission: 'read' })
    const { number } = await openPull(ann, 'change', { repo: 'acme/closed' })
    expect(await settled('acme/closed', number)).toEqual(['wes'])
    const repo = await repoWith('forked', '.* @eve')
    expect((await bob.client.post(`/repos/${repo}/forks`, {})).status).toBe(202)
    const inFork = await openPull(bob, 'change', { repo: 'bob/forked' })
    expect(await settled('bob/forked', inFork.number)).toEqual([])
  })

  it('are ignored when the file is too large', async () => {
    const repo = await repoWith('large', `.* @bob\n${'#'.repeat(256 * 1024)}`)
    const { number } = await openPull(world.wes, 'change', { repo })
    expect(await settled(repo, number)).toEqual([])
  })

  it('include the owners of the old name of a file', async () => {
    const repo = await repoWith('renamed', 'README.md @bob\nREAD @eve\n')
    const { sha } = (await world.wes.client.get(`/repos/${repo}/contents/README.md`)).json
    expect((await renameFile(world.wes, repo, sha)).status).toBe(201)
    const body = { head: 'change', base: 'main', title: 'Rename' }
    const { json } = await world.wes.client.post(`/repos/${repo}/pulls`, body)
    expect(await settled(repo, json.number)).toEqual(['bob', 'eve'])
  })

  const renameFile = async ({ client }: Person, repo: string, sha: string) =>
    client.post(`/repos/${repo}/contents`, {
      new_branch: 'change',
      branch: 'main',
      files: [{ operation: 'rename', path: 'READ', from_path: 'README.md', sha }],
    })
})
