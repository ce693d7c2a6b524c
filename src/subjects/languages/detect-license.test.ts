import { expect, it } from 'vitest'
import { licenseTemplates, renderLicense } from '../templates/templates.ts'
import { createLicenseDetector } from './detect-license.ts'

const detectLicense = createLicenseDetector()

it('knows the common licences with their blanks filled in, whatever the layout', () => {
  const ids = [
    'MIT',
    'Apache-2.0',
    'GPL-3.0-only',
    'GPL-2.0-only',
    'BSD-2-Clause',
    'BSD-3-Clause',
    'MPL-2.0',
    'ISC',
    'Unlicense',
  ].filter((id) => licenseTemplates().has(id))
  expect(ids.length).toBeGreaterThan(5)
  for (const id of ids) {
    const text = renderLicense(id, { year: 2026, owner: 'Ann & Sons', repo: 'thing' })
    const found = detectLicense(text.replaceAll('\n', '\r\n   '))
    // NOTE: the texts of "only" and "or later" are the same.
    expect(found?.replace(/-or-later$/, '-only')).toBe(id)
  }
})

it('says nothing of other texts', () => {
  expect(detectLicense('')).toBeUndefined()
  expect(detectLicense('All rights reserved. Ask us first.')).toBeUndefined()
})
