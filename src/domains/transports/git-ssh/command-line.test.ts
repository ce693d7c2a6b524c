import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseCommandLine, parseRepoPath } from './session.ts'

const NAME = /^[^/\s]+$/

describe('the command line of an SSH client', () => {
  it('names a service and a repository, however it is quoted', () => {
    const path = { owner: 'o', name: 'r', isWiki: false }
    for (const line of [
      "git-upload-pack 'o/r.git'",
      'git-upload-pack "/o/r"',
      'git upload-pack o/r.git',
      String.raw`git-upload-pack o\/r`,
      String.raw`git-upload-pack "\o/r".g\it`,
      "git-upload-pack o/r''",
      "  git-upload-pack   'o'/'r'.git  ",
    ]) {
      expect(parseCommandLine(line)).toEqual({ kind: 'git', service: 'git-upload-pack', path })
    }
    expect(parseCommandLine('git-lfs-authenticate o/r.git upload')).toEqual({ kind: 'lfs', path, operation: 'upload' })
    expect(parseCommandLine("git-receive-pack 'o/r.wiki.git'")).toMatchObject({
      path: { owner: 'o', name: 'r', isWiki: true },
    })
  })

  it('is refused with a clear message when it is anything else', () => {
    for (const [line, text] of [
      ['', 'Unknown git command'],
      ['bash', 'Unknown git command'],
      ['git-upload-pack', 'Too few arguments'],
      ['git-lfs-authenticate o/r', 'Too few arguments'],
      ["git-upload-pack 'o/r", 'Unknown git command'],
      [String.raw`git-upload-pack "o/r\"`, 'Unknown git command'],
      ["git-upload-pack ''", 'Invalid repository path'],
      ['git-upload-pack o', 'Invalid repository path'],
      ['git-upload-pack a/b/c', 'Invalid repository path'],
      ['git-upload-pack ../..', 'Invalid repository path'],
      ['git-upload-pack o/.git', 'Invalid repository path'],
      ['git-upload-pack --help', 'Invalid repository path'],
      ['git-lfs-authenticate o/r other', 'Unknown LFS operation'],
    ] as const)
      expect(parseCommandLine(line), line).toEqual({ kind: 'wrong', text })
  })

  it('never yields a path that escapes its two parts', () => {
    fc.assert(
      fc.property(
        fc.string({ maxLength: 40, unit: fc.constantFrom('a', '/', '.', 'g', 'i', 't', ' ', "'", 'w', 'k', '\\') }),
        (text) => {
          const path = parseRepoPath(text)
          if (path === undefined) return
          expect(path.owner).toMatch(NAME)
          expect(path.name).toMatch(NAME)
          expect(['.', '..']).not.toContain(path.name)
        },
      ),
    )
  })
})
