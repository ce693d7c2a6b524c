import { describe, expect, expectTypeOf, it } from 'vitest'
import { asId, type LabelId } from '../../platform/crypto/ids.ts'
import { compilePath, compileParams, type PathParams, type ReadParams } from './path.ts'

describe('path parameters', () => {
  it('have the types that their path says', () => {
    expectTypeOf<PathParams<'/repos/{owner}/{repo}/labels/{id:int}'>>().toEqualTypeOf<{
      readonly owner: string
      readonly repo: string
      readonly id: number
    }>()
    expectTypeOf<PathParams<'/git/commits/{sha}.{diffType:diff|patch}'>>().toEqualTypeOf<{
      readonly sha: string
      readonly diffType: 'diff' | 'patch'
    }>()
    expectTypeOf<PathParams<'/contents/{filepath*}'>>().toEqualTypeOf<{ readonly filepath: string }>()
    expectTypeOf<keyof PathParams<'/version'>>().toEqualTypeOf<never>()
    expectTypeOf<PathParams<`${string}/hooks/{id:int}`>>().toEqualTypeOf<{ readonly id: number }>()
    expectTypeOf<PathParams<string>>().toEqualTypeOf<Readonly<Record<string, string | number>>>()
  })

  it('have the types that readers give', () => {
    type Params = ReadParams<'/orgs/{org}/labels/{id:int}', { id: (value: number) => LabelId }>
    expectTypeOf<Params>().toEqualTypeOf<{ readonly org: string; readonly id: LabelId }>()
  })

  it('that are numbers are 0 if the text is not a number', () => {
    const read = compileParams(compilePath('/labels/{id:int}'))
    expect(read({ id: '12' })).toEqual({ id: 12 })
    for (const id of ['', 'bug', '1.5', '1e3', '0x10', '9'.repeat(16)]) expect(read({ id })).toEqual({ id: 0 })
  })

  it('go through their readers, those that an alias lacks too', () => {
    const read = compileParams(compilePath('/x/{id:int}/{filepath*}'), {
      id: asId<LabelId>,
      filepath: (path?: string) => path ?? 'all',
    })
    expect(read({ id: '3', filepath: 'a/b' })).toEqual({ id: 3, filepath: 'a/b' })
    expect(read({ id: '3' })).toEqual({ id: 3, filepath: 'all' })
  })
})
