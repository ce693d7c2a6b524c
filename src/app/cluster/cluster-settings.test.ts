import { hostname } from 'node:os'
import { expect, it } from 'vitest'
import { loadConfig } from '../../core/config/index.ts'
import { clusterSettings } from './open-processes.ts'

const flags = { 'cluster.enabled': 'true', data_dir: '/srv/ingot' }

it('needs PostgreSQL', () => {
  expect(() => clusterSettings(loadConfig({ flags }))).toThrow(/cluster\.enabled needs PostgreSQL/)
  expect(clusterSettings(loadConfig())).toBeUndefined()
})

it('names the node after the host, and its directory after the node', () => {
  const url = { 'database.url': 'postgres://localhost/ingot' }
  expect(clusterSettings(loadConfig({ flags: { ...flags, ...url } }))?.node).toBe(
    hostname().replace(/[^A-Za-z0-9._-]/g, '-'),
  )
  expect(
    clusterSettings(loadConfig({ flags: { ...flags, ...url, 'cluster.node': 'a', 'cluster.lease': '3' } })),
  ).toEqual({ node: 'a', localDir: '/srv/ingot/nodes/a', leaseMs: 3000 })
})
