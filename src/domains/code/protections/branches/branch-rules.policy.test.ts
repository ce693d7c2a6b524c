import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type BranchRuleInput, editedRuleSettings, newRuleSettings } from '../protections.policy.ts'
import {
  type BranchRule,
  canPush,
  createRuleFinder,
  evidenceNeeded,
  isOfficial,
  NO_EVIDENCE,
  type RuleList,
  ruleRefusal,
  type RuleRights,
} from './branch-rules.policy.ts'

const rule = (values: Partial<BranchRule> = {}): BranchRule => ({
  id: 1,
  name: 'main',
  priority: 1,
  ...newRuleSettings(values),
  ...values,
})
const rights = (values: Partial<RuleRights> = {}): RuleRights => ({
  canWrite: true,
  isDeployKey: false,
  lists: new Set(),
  ...values,
})
const update = { branch: 'main', kind: 'update' } as const

describe('official reviews', () => {
  it('require write access without a rule or without an approvals list', () => {
    for (const applied of [undefined, rule(), rule({ requiredApprovals: 1 })]) {
      expect(isOfficial(applied, rights())).toBe(true)
      expect(isOfficial(applied, rights({ canWrite: false, lists: new Set<RuleList>(['approvals']) }))).toBe(false)
    }
  })

  it('require membership of the approvals list if the rule has one', () => {
    const listed = rule({ enableApprovalsWhitelist: true })
    expect(isOfficial(listed, rights({ canWrite: false, lists: new Set<RuleList>(['approvals']) }))).toBe(true)
    expect(isOfficial(listed, rights({ lists: new Set<RuleList>(['push', 'force', 'merge']) }))).toBe(false)
  })
})

describe('the rule that applies', () => {
  const named = (name: string, priority: number, id: number): BranchRule => rule({ name, priority, id })
  it('is the first by priority, then plain before globs, then the oldest', async () => {
    const find = createRuleFinder([
      named('**', 2, 1),
      named('main', 2, 2),
      named('m*', 1, 3),
      named('release/*', 5, 4),
      named('release/1', 5, 5),
      named('release/?', 5, 6),
    ])
    expect((await find('main'))?.id).toBe(3)
    expect((await find('MAIN'))?.id).toBe(2)
    expect((await find('other'))?.id).toBe(1)
    const globs = [named('release/*', 5, 4), named('release/?', 5, 6)]
    expect(await createRuleFinder([...globs, named('release/1', 5, 9)])('release/1')).toMatchObject({ id: 9 })
    expect(await createRuleFinder(globs.toReversed())('release/1')).toMatchObject({ id: 4 })
    expect(await createRuleFinder([named('release/*', 1, 1)])('release/1/2')).toBeUndefined()
    expect(await createRuleFinder([])('main')).toBeUndefined()
  })

  it('does not depend on the storage order', async () => {
    const rules = fc.uniqueArray(
      fc.record({
        id: fc.integer({ min: 1, max: 50 }),
        priority: fc.integer({ min: 1, max: 3 }),
        name: fc.constantFrom('main', 'm*', '**', 'MAIN', '?ain'),
      }),
      { selector: ({ id }) => id },
    )
    const find = async (list: readonly Pick<BranchRule, 'id' | 'name' | 'priority'>[]): Promise<number | undefined> =>
      (await createRuleFinder(list)('main'))?.id
    await fc.assert(fc.asyncProperty(rules, async (list) => (await find(list)) === (await find(list.toReversed()))))
  })
})

describe('refusals', () => {
  const whitelist = rule({ enablePush: true, enablePushWhitelist: true })
  it('have a fixed order', () => {
    const all = rule({ enablePush: false, requireSignedCommits: true, protectedFilePatterns: 'a' })
    const evidence = { isForced: true, unverified: 'abc', protectedFile: 'a', areAllUnprotected: false }
    expect(ruleRefusal(all, { branch: 'main', kind: 'delete' }, rights(), evidence)?.text).toBe(
      'branch main is protected from deletion',
    )
    expect(ruleRefusal(all, update, rights(), evidence)?.text).toBe('branch main is protected from force push')
    expect(ruleRefusal(all, update, rights(), { ...evidence, isForced: false })?.text).toBe(
      'branch main is protected from unverified commit abc',
    )
    expect(ruleRefusal(all, update, rights(), { ...NO_EVIDENCE, protectedFile: 'a' })).toMatchObject({
      text: 'branch main is protected from changing file a',
      path: 'a',
    })
    expect(ruleRefusal(all, update, rights(), NO_EVIDENCE)?.text).toBe('Not allowed to push to protected branch main')
  })

  it('exempt listed users, and deploy keys only if the rule allows them', () => {
    expect(canPush(whitelist, rights())).toBe(false)
    expect(canPush(whitelist, rights({ lists: new Set(['push']) }))).toBe(true)
    expect(canPush(whitelist, rights({ lists: new Set(['push']), canWrite: false }))).toBe(false)
    expect(canPush(whitelist, rights({ isDeployKey: true }))).toBe(false)
    expect(canPush(rule({ ...whitelist, pushWhitelistDeployKeys: true }), rights({ isDeployKey: true }))).toBe(true)
    expect(canPush(rule({ enablePush: true }), rights({ isDeployKey: true }))).toBe(true)
  })

  it('check force pushes against the force push list', () => {
    const forced = { ...NO_EVIDENCE, isForced: true }
    const open = rule({ enablePush: true, enableForcePush: true })
    expect(ruleRefusal(open, update, rights(), forced)).toBeUndefined()
    const listed = rule({ ...open, enableForcePushAllowlist: true })
    expect(ruleRefusal(listed, update, rights(), forced)?.text).toBe(
      'Not allowed to force-push to protected branch main',
    )
    expect(ruleRefusal(listed, update, rights({ lists: new Set(['force']) }), forced)).toBeUndefined()
    expect(ruleRefusal(listed, update, rights({ isDeployKey: true, lists: new Set(['force']) }), forced)).toBeDefined()
    expect(
      ruleRefusal(
        rule({ ...listed, forcePushAllowlistDeployKeys: true }),
        update,
        rights({ isDeployKey: true }),
        forced,
      ),
    ).toBeUndefined()
  })

  it('exempt unprotected files, only in fast-forward updates', () => {
    const docs = rule({ unprotectedFilePatterns: 'docs/*' })
    const evidence = { isForced: false, areAllUnprotected: true }
    expect(ruleRefusal(docs, update, rights(), evidence)).toBeUndefined()
    expect(ruleRefusal(docs, { branch: 'main', kind: 'create' }, rights(), evidence)).toBeDefined()
    expect(
      ruleRefusal(rule({ ...docs, enableForcePush: true }), update, rights(), { ...evidence, isForced: true }),
    ).toBeDefined()
  })

  it('check merge permission for merges, and the same evidence unless overridden', () => {
    const made = rule({ enablePush: false, enableMergeWhitelist: true })
    const merging = { ...update, merge: { isForced: false } }
    const listed = rights({ lists: new Set<RuleList>(['merge']) })
    expect(ruleRefusal(made, merging, listed, NO_EVIDENCE)).toBeUndefined()
    expect(ruleRefusal(made, merging, rights(), NO_EVIDENCE)?.reason).toBe('push')
    expect(ruleRefusal(made, merging, listed, { ...NO_EVIDENCE, protectedFile: 'a' })?.reason).toBe('file')
    const forced = { ...update, merge: { isForced: true } }
    expect(ruleRefusal(made, forced, listed, { ...NO_EVIDENCE, protectedFile: 'a' })).toBeUndefined()
    expect(ruleRefusal(made, forced, listed, { ...NO_EVIDENCE, unverified: 'x' })?.reason).toBe('signature')
  })

  it('declare the evidence they use and ignore all other evidence', () => {
    const flag = fc.boolean()
    const settings = fc.record({
      enablePush: flag,
      enablePushWhitelist: flag,
      enableForcePush: flag,
      enableForcePushAllowlist: flag,
      requireSignedCommits: flag,
      protectedFilePatterns: fc.constantFrom('', 'a'),
      unprotectedFilePatterns: fc.constantFrom('', 'b'),
    })
    const kinds = fc.constantFrom('create' as const, 'update' as const, 'delete' as const)
    const lists = fc.subarray<RuleList>(['push', 'force', 'merge'])
    fc.assert(
      fc.property(
        settings,
        kinds,
        lists,
        fc.tuple(flag, flag, fc.constantFrom('a', undefined), fc.constantFrom(undefined, true, false)),
        (values, kind, listed, [isForced, areAllUnprotected, protectedFile, overrides]) => {
          const merge = overrides === undefined ? undefined : { isForced: overrides }
          const made = rule(values)
          const who = rights({ lists: new Set(listed) })
          const command = { branch: 'main', kind, merge }
          const needed = evidenceNeeded(made, command, who)
          const compared = {
            protectedFile: made.protectedFilePatterns === '' ? undefined : protectedFile,
            areAllUnprotected: made.unprotectedFilePatterns !== '' && areAllUnprotected,
          }
          const gathered = {
            ...NO_EVIDENCE,
            isForced: needed.force && isForced,
            ...(needed.files ? compared : undefined),
            unverified: needed.signatures ? 'x' : undefined,
          }
          const everything = {
            ...compared,
            isForced: isForced && kind === 'update',
            unverified: made.requireSignedCommits ? 'x' : undefined,
          }
          expect(ruleRefusal(made, command, who, gathered)).toEqual(ruleRefusal(made, command, who, everything))
        },
      ),
    )
  })
})

describe('settings', () => {
  it('depend on their parents in a new rule', () => {
    expect(
      newRuleSettings({
        enablePushWhitelist: true,
        pushWhitelistDeployKeys: true,
        enableForcePush: true,
        requiredApprovals: -3,
      }),
    ).toMatchObject({
      enablePush: false,
      enablePushWhitelist: false,
      pushWhitelistDeployKeys: false,
      enableForcePush: false,
      requiredApprovals: 0,
    })
    expect(newRuleSettings({ enablePush: true, enableForcePushAllowlist: true })).toMatchObject({
      enablePush: true,
      enableForcePushAllowlist: false,
    })
  })

  it('are unchanged when absent, and are turned off with their parent', () => {
    const made = newRuleSettings({
      enablePush: true,
      enablePushWhitelist: true,
      enableForcePush: true,
      enableForcePushAllowlist: true,
      requiredApprovals: 2,
      blockAdminMergeOverride: true,
    })
    expect(editedRuleSettings(made, {})).toEqual(made)
    expect(editedRuleSettings(made, { requiredApprovals: -1 }).requiredApprovals).toBe(2)
    expect(editedRuleSettings(made, { enablePush: false })).toMatchObject({
      enablePush: false,
      enablePushWhitelist: false,
      enableForcePush: false,
      enableForcePushAllowlist: false,
      requiredApprovals: 2,
    })
    expect(editedRuleSettings(made, { enableForcePush: false })).toMatchObject({
      enablePush: true,
      enableForcePush: false,
      enableForcePushAllowlist: false,
    })
  })

  it('are turned on if their parent is on after the edit', () => {
    const open = newRuleSettings({ enablePush: true })
    expect(editedRuleSettings(open, { enablePushWhitelist: true }).enablePushWhitelist).toBe(true)
    expect(editedRuleSettings(open, { enablePush: true, enablePushWhitelist: true }).enablePushWhitelist).toBe(true)
    expect(editedRuleSettings(open, { enableForcePush: true, enableForcePushAllowlist: true })).toMatchObject({
      enableForcePush: true,
      enableForcePushAllowlist: true,
    })
    const closed = newRuleSettings({})
    expect(editedRuleSettings(closed, { enableForcePush: true, enableForcePushAllowlist: true })).toEqual(closed)
    expect(editedRuleSettings(open, { enablePush: false, enableForcePush: true }).enableForcePush).toBe(false)
    const listed = newRuleSettings({ enablePush: true, enablePushWhitelist: true })
    expect(editedRuleSettings(listed, { enablePushWhitelist: false }).enablePushWhitelist).toBe(false)
  })

  it('never enable a switch whose parent is disabled', () => {
    const names = [
      'enablePush',
      'enablePushWhitelist',
      'pushWhitelistDeployKeys',
      'enableForcePush',
      'enableForcePushAllowlist',
      'forcePushAllowlistDeployKeys',
    ] as const
    const input: fc.Arbitrary<BranchRuleInput> = fc.record(
      Object.fromEntries(names.map((name) => [name, fc.boolean()])),
      { requiredKeys: [] },
    )
    fc.assert(
      fc.property(input, input, (first, second) => {
        const made = editedRuleSettings(newRuleSettings(first), second)
        expect(
          made.enablePush || !(made.enablePushWhitelist || made.pushWhitelistDeployKeys || made.enableForcePush),
        ).toBe(true)
        expect(made.enableForcePush || !(made.enableForcePushAllowlist || made.forcePushAllowlistDeployKeys)).toBe(true)
      }),
    )
  })
})
