import { expect, it } from 'vitest'
import { licenseTemplates, renderLicense } from '../../repositories/templates/templates.ts'
import { createLicenseDetector } from './languages.service.ts'

const detectLicense = createLicenseDetector()

it('detects common licences with their placeholders filled in, in any layout', () => {
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

it('returns undefined for other texts', () => {
  expect(detectLicense('')).toBeUndefined()
  expect(detectLicense('All rights reserved. Ask us first.')).toBeUndefined()
})
