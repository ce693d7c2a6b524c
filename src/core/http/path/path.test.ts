import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compilePath } from './path.ts'

describe('path patterns', () => {
  it('become paths of the router', () => {
    expect(compilePath('/repos/{owner}/{repo}').routerPath).toBe('/repos/:p1/:p2')
    expect(compilePath('/repos/{owner}/{repo}/contents/{filepath*}').routerPath).toBe('/repos/:p1/:p2/contents/*')
    expect(compilePath('/a/{sha}.{format:diff|patch}').routerPath).toBe('/a/:p1')
  })

  it('split into segments, words and a rest', () => {
    const commit = compilePath('/git/commits/{sha}.{format:diff|patch}')
    expect(commit.match({ p2: 'abc.diff' })).toEqual({ sha: 'abc', format: 'diff' })
    expect(commit.match({ p2: 'a.b.patch' })).toEqual({ sha: 'a.b', format: 'patch' })
    expect(commit.match({ p2: 'abc.zip' })).toBeUndefined()
    expect(commit.match({ p2: 'feature/x.diff' })).toEqual({ sha: 'feature/x', format: 'diff' })
    expect(compilePath('/branches/{branch*}').match({ '*': 'feature/x' })).toEqual({ branch: 'feature/x' })
    expect(compilePath('/commits/{ref*}/status').match({ '*': 'a/b/status' })).toEqual({ ref: 'a/b' })
    expect(compilePath('/commits/{ref*}/status').match({ '*': 'a/b' })).toBeUndefined()
    expect(compilePath('/x/{name}').match({ p1: '' })).toBeUndefined()
  })

  it('match any text as a number', () => {
    const label = compilePath('/labels/{id:int}')
    expect(label).toMatchObject({ routerPath: '/labels/:p1', names: ['id'], integers: ['id'] })
    expect(label.match({ p1: '7' })).toEqual({ id: '7' })
    expect(label.match({ p1: 'bug' })).toEqual({ id: 'bug' })
    expect(label.isParameter(1)).toBe(true)
  })

  it('give the more literal pattern the greater weight', () => {
    expect(compilePath('/commits/{ref*}/status').weight).toBeGreaterThan(compilePath('/commits/{ref*}').weight)
  })

  it('restore every inserted value, characters of regular expressions and line ends included', () => {
    const text = fc.string({ unit: 'binary', minLength: 1 })
    fc.assert(fc.property(text, (value) => compilePath('/a/{x*}').match({ '*': value })?.['x'] === value))
    fc.assert(fc.property(text, (value) => compilePath('/a/{x*}/end').match({ '*': `${value}/end` })?.['x'] === value))
  })
})
