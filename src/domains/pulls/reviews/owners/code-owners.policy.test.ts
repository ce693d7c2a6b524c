import { describe, expect, it } from 'vitest'
import { type OwnerRule, parseCodeOwners } from '../reviews.policy.ts'
import { matchOwnerRules } from './request-owners.ts'
import { MEASURED } from '../../../../../test/harness/measured.ts'

const ownersOf = async (text: string, ...paths: string[]): Promise<string[]> => {
  const { rules } = await matchOwnerRules(parseCodeOwners(text), () => paths)
  return rules.flatMap(({ users, teams }) => [...users, ...teams.map(({ org, team }) => `${org}/${team}`)])
}

describe('a line of CODEOWNERS', () => {
  it('contains an expression for the whole path, users and teams', async () => {
    const [rule] = parseCodeOwners('lib/.*  @ann\t@acme/core')
    expect(rule).toEqual({
      pattern: '^(?:lib/.*)$',
      isNegated: false,
      users: ['ann'],
      teams: [{ org: 'acme', team: 'core' }],
    } satisfies OwnerRule)
    expect(await ownersOf('lib/.* @ann', 'lib/a.ts')).toEqual(['ann'])
    expect(await ownersOf('lib/.* @ann', 'src/lib/a.ts')).toEqual([])
    expect(await ownersOf('lib @ann', 'lib/a.ts')).toEqual([])
    expect(await ownersOf('a|b @ann', 'ax')).toEqual([])
  })

  it('may begin with a slash, which is ignored', async () => {
    expect(await ownersOf('/lib/.* @ann', 'lib/a.ts')).toEqual(['ann'])
    expect(await ownersOf('!/lib/.* @ann', 'lib/a.ts')).toEqual([])
  })

  it('matches other paths when it begins with an exclamation mark', async () => {
    expect(await ownersOf('!lib/.* @ann', 'lib/a.ts')).toEqual([])
    expect(await ownersOf('!lib/.* @ann', 'lib/a.ts', 'b.ts')).toEqual(['ann'])
  })

  it('counts together with all other matching lines', async () => {
    expect(await ownersOf('.* @ann\nlib/.* @bob\n.*\\.md @cat', 'lib/a.ts')).toEqual(['ann', 'bob'])
  })

  it('ends at a comment', async () => {
    expect(parseCodeOwners('# all\n\n  \t# .* @eve\n#.* @eve')).toEqual([])
    expect(await ownersOf('.* @ann # @bob', 'a')).toEqual(['ann'])
    expect(await ownersOf('.*# @ann', 'a')).toEqual([])
  })

  it('allows escaped blanks and number signs in its expression', async () => {
    expect(await ownersOf('a\\ b\\#c @ann', 'a b#c')).toEqual(['ann'])
    expect(await ownersOf('a\\.b @ann', 'a.b')).toEqual(['ann'])
    expect(await ownersOf('a\\.b @ann', 'axb')).toEqual([])
    expect(await ownersOf('a\\\\b @ann', 'a\\b')).toEqual(['ann'])
    expect(await ownersOf('\\!a @ann', '!a')).toEqual(['ann'])
    expect(await ownersOf('a @ann \\', 'a')).toEqual(['ann'])
  })

  it('may have any line ending, and follow a byte order mark', async () => {
    expect(await ownersOf('\uFEFFa @ann\r\nb @bob\rc @cat', 'a', 'b', 'c')).toEqual(['ann', 'bob', 'cat'])
  })

  it.each(['', '!', '/', '!/ @ann', '@ann', '.*', '.* ann', '.* @', '.* @/', '.* @a/', '.* @/b', '.* @a/b/c'])(
    'is ignored without an expression and an owner: %j',
    (line) => {
      expect(parseCodeOwners(line)).toEqual([])
    },
  )
})

describe('a hostile CODEOWNERS file', () => {
  it('is read in linear time, up to its limits', MEASURED, () => {
    const begin = performance.now()
    expect(parseCodeOwners('a @ann\n'.repeat(200_000))).toHaveLength(1000)
    expect(parseCodeOwners(`${'\\'.repeat(300_000)} @ann`)).toEqual([])
    expect(parseCodeOwners(`${' '.repeat(300_000)}a @ann`)).toMatchObject([{ users: ['ann'] }])
    expect(parseCodeOwners(`a ${'@ann '.repeat(60_000)}`)[0]!.users).toHaveLength(100)
    expect(parseCodeOwners(`${'a'.repeat(1001)} @ann\n${'a'.repeat(1000)} @bob`)).toMatchObject([{ users: ['bob'] }])
    expect(performance.now() - begin).toBeLessThan(10_000)
  })

  it('has no owners where an expression is invalid or too large', async () => {
    const text = '( @ann\n[ @ann\n(?=a) @ann\n(a{999}){999} @ann\n*a @ann\n\\1 @ann\na\\ @ann\na @bob'
    expect(await ownersOf(text, 'a', '(', '[')).toEqual(['bob'])
  })

  it('cannot cause backtracking', MEASURED, async () => {
    const begin = performance.now()
    const path = `${'a'.repeat(4000)}!`
    expect(await ownersOf('(a*)*b @ann\n(a|aa)+ @ann\n(x+x+)+y @ann\n(a?){500}a{400} @ann', path)).toEqual([])
    expect(performance.now() - begin).toBeLessThan(10_000)
  })

  it('is matched with the changed files for a limited time', MEASURED, async () => {
    const rules = parseCodeOwners('(a|b|ab)*c @ann\n'.repeat(1000))
    const paths = Array.from({ length: 1000 }, (_, at) => `${'ab'.repeat(1000)}${at}`)
    const begin = performance.now()
    expect(await matchOwnerRules(rules, () => paths, { maxWork: 100 })).toEqual({ rules: [], isCut: true })
    expect(performance.now() - begin).toBeLessThan(5000)
  })

  it('does not match paths of more than 4,096 characters', async () => {
    expect(await ownersOf('.* @ann', 'a'.repeat(4097))).toEqual([])
    expect(await ownersOf('!b @ann', 'a'.repeat(4097))).toEqual([])
    expect(await ownersOf('.* @ann', 'a'.repeat(4096))).toEqual(['ann'])
  })
})
