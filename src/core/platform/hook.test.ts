import { describe, expect, it } from 'vitest'
import { createHook, createPort } from './hook.ts'

describe('createHook', () => {
  it('calls handlers one after the other, in the order of registration', async () => {
    const hook = createHook<[number], string>()
    const calls: string[] = []
    for (const name of ['a', 'b'])
      hook.register(async (count) => {
        calls.push(`${name} begins`)
        await Promise.resolve()
        calls.push(`${name} ends`)
        return name.repeat(count)
      })
    expect(await hook.run(2)).toEqual(['aa', 'bb'])
    expect(calls).toEqual(['a begins', 'a ends', 'b begins', 'b ends'])
  })

  it('stops at the first handler that rejects', async () => {
    const hook = createHook<[]>()
    let isCalled = false
    hook.register(() => Promise.reject(new Error('refused')))
    hook.register(async () => void (isCalled = true))
    await expect(hook.run()).rejects.toThrow('refused')
    expect(isCalled).toBe(false)
  })

  it('passes errors to `onError` and continues', async () => {
    const errors: unknown[] = []
    const hook = createHook<[string], number>({ onError: (error, name) => void errors.push([String(error), name]) })
    hook.register(() => Promise.reject(new Error('failed')))
    hook.register(() => Promise.resolve(7))
    expect(await hook.run('main')).toEqual([7])
    expect(errors).toEqual([['Error: failed', 'main']])
  })

  it('finds the first result and calls no further handler', async () => {
    const hook = createHook<[string], string | undefined>()
    const calls: string[] = []
    for (const [name, result] of Object.entries({ a: undefined, b: 'found', c: 'other' }))
      hook.register(async () => {
        calls.push(name)
        return result
      })
    expect(await hook.first('x')).toBe('found')
    expect(calls).toEqual(['a', 'b'])
    expect(await createHook<[], string | undefined>().first()).toBeUndefined()
  })
})

describe('createPort', () => {
  it('has one implementation', () => {
    const port = createPort<{ readonly size: number }>('sizes')
    expect(port.find()).toBeUndefined()
    expect(() => port.get()).toThrow('sizes: no module implements it')
    port.register({ size: 1 })
    expect(port.get().size).toBe(1)
    expect(() => port.register({ size: 2 })).toThrow('sizes: registered twice')
  })
})
