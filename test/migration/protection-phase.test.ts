import { expect, it } from 'vitest'
import { ForgeError } from '../../src/domains/migration/imports/forge-error.ts'
import { protectionsPhase } from '../../src/domains/migration/imports/phases/protections.phase.ts'
import { describeOnBoth } from '../harness/databases.ts'
import { beginImport, phaseWorld, type PhaseRun, sourceWith } from './phase-world.ts'

describeOnBoth('the phase of protections', (kind) => {
  const given = phaseWorld(kind)
  const phase = () => protectionsPhase(given.server.app)

  async function importRules(
    name: string,
    branches: readonly unknown[],
    tags: readonly unknown[] = [],
  ): Promise<PhaseRun> {
    await given.upstream.create(name)
    const source = sourceWith({ protections: () => Promise.resolve({ branches, tags }) })
    return beginImport(given, { source, name, mapped: { rob: given.bob } })
  }

  const get = async (path: string) => (await given.ann.client.get(`/repos/ann/${path}`)).json

  it('imports rules with the accounts that are mapped', async () => {
    const run = await importRules(
      'rules',
      [
        {
          rule_name: 'main',
          branch_name: 'main',
          priority: 2,
          enable_push: true,
          enable_push_whitelist: true,
          push_whitelist_usernames: ['rob', 'bob'],
          push_whitelist_teams: ['core'],
          required_approvals: 2,
          status_check_contexts: null,
          block_on_rejected_reviews: true,
          apply_to_admins: true,
          created_at: '2020-01-01T00:00:00Z',
        },
        { rule_name: 'release/*', priority: 1, required_approvals: -3 },
      ],
      [{ id: 3, name_pattern: 'v*', whitelist_usernames: ['rob'], whitelist_teams: null }],
    )
    await run.run(phase())
    expect(run.cursors).toEqual(['branches', 'tags'])
    expect(await get('rules/branch_protections')).toMatchObject([
      { rule_name: 'release/*', branch_name: '', priority: 1, required_approvals: 0, enable_push: false },
      {
        rule_name: 'main',
        priority: 2,
        enable_push: true,
        enable_push_whitelist: true,
        push_whitelist_usernames: ['bob'],
        required_approvals: 2,
        block_on_rejected_reviews: true,
        apply_to_admins: true,
      },
    ])
    expect(await get('rules/tag_protections')).toMatchObject([{ name_pattern: 'v*', whitelist_usernames: ['bob'] }])
    expect(run.warnings).toEqual([
      'users and teams of the protection of branches main that are unknown here were left out',
    ])
  })

  it('leaves out malformed, repeated and excess rules with a warning', async () => {
    const many = Array.from({ length: 120 }, (_, index) => ({ rule_name: `b${index}` }))
    const run = await importRules(
      'bad',
      [{ rule_name: 'main' }, { rule_name: 'main' }, { rule_name: 'a\0b' }, { rule_name: 5 }, null, ...many],
      [{ name_pattern: '/(/' }, { name_pattern: '' }, { name_pattern: 'v*' }, { name_pattern: 'v*' }],
    )
    await run.run(phase())
    expect(await get('bad/branch_protections')).toHaveLength(96)
    expect(await get('bad/tag_protections')).toHaveLength(1)
    expect(run.warnings).toEqual([
      'only 100 protections of branches and of tags were imported',
      ...Array.from({ length: 3 }, () => 'a protection of branches was not imported: it is malformed'),
      'the protection of branches main was not imported: another rule has its name',
      ...Array.from({ length: 2 }, () => 'a protection of tags was not imported: it is malformed'),
      'the protection of tags v* was not imported: another rule has its name',
    ])
  })

  it('continues with the tags, and reports a service that does not show the rules', async () => {
    const run = await importRules('tags', [{ rule_name: 'main' }], [{ name_pattern: 'v*' }])
    await run.run(phase(), { from: 'branches' })
    await run.run(phase(), { from: 'tags' })
    expect(await get('tags/branch_protections')).toEqual([])
    expect(await get('tags/tag_protections')).toHaveLength(1)
    const source = sourceWith({ protections: () => Promise.reject(new ForgeError('auth', 'no', 403)) })
    const refused = { ...run, context: { ...run.context, source } }
    for await (const step of phase().steps(refused.context, '')) expect(step.count).toBe(0)
    expect(run.warnings).toEqual(['protections of branches and tags were not imported: no'])
  })
})
