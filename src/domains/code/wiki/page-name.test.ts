import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fileOf, filesOf, isNamed, namesOfFile, requireTitle, subUrlOf } from './pages.ts'

describe('names of wiki pages', () => {
  it.each([
    ['Home', 'Home', 'Home.md'],
    ['Two words', 'Two-words', 'Two-words.md'],
    ['a/b 100%', 'a%2Fb-100%25', 'a%2Fb-100%25.md'],
    ['My Page-x', 'My+Page-x.-', 'My Page-x.-.md'],
    ['read.md', 'read.md.-', 'read.md.-.md'],
    ['ü ✓', '%C3%BC-%E2%9C%93', '%C3%BC-%E2%9C%93.md'],
    ['a b/c-d', 'a+b%2Fc-d.-', 'a b%2Fc-d.-.md'],
    ['a b+c', 'a-b%2Bc', 'a-b%2Bc.md'],
    ['C++ in a-z', 'C%2B%2B+in+a-z.-', 'C%2B%2B in a-z.-.md'],
    ['%2B %20', '%252B-%2520', '%252B-%2520.md'],
    ['../../etc/passwd', '..%2F..%2Fetc%2Fpasswd', '..%2F..%2Fetc%2Fpasswd.md'],
  ])('%s', (title, subUrl, file) => {
    expect([subUrlOf(title), fileOf(title)]).toEqual([subUrl, file])
    expect(namesOfFile(file)).toEqual({ title, subUrl })
    expect(filesOf(subUrl)[0]).toBe(file)
    expect(filesOf(title)).toContain(file)
    for (const name of [title, subUrl, decodeURIComponent(subUrl), encodeURIComponent(title)])
      expect(filesOf(name).includes(file) || isNamed(file, name), name).toBe(true)
  })

  const signs = fc.string({ unit: fc.constantFrom('a', ' ', '+', '-', '%', '2B', '.-', '.md'), maxLength: 8 })
  const texts = fc.oneof(signs, fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }))

  it('map back to any title, and never to another folder', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const title = text
          .trim()
          .replaceAll(/\p{Cc}/gu, '')
          .trim()
        if (title === '') return
        const [file, subUrl] = [fileOf(title), subUrlOf(title)]
        expect(namesOfFile(file)).toEqual({ title, subUrl })
        expect(file).not.toContain('/')
        for (const name of [title, subUrl, decodeURIComponent(subUrl), encodeURIComponent(title)])
          expect(filesOf(name).includes(file) || isNamed(file, name), name).toBe(true)
      }),
    )
  })

  it('are rejected if no page can have them', () => {
    for (const title of ['', '  ', '_new', '_Pages', 'raw', 'a\nb', 'x'.repeat(300)])
      expect(() => requireTitle(title), title).toThrow()
    expect(requireTitle(' Home ')).toBe('Home')
    expect(namesOfFile('picture.png')).toBeUndefined()
  })
})
