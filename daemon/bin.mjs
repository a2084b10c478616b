#!/usr/bin/env node
import { launch } from '../core/launch.mjs'

// The reader of a pipe may leave early (`depositd serve | head -1`): no reason to stop serving.
process.stdout.on('error', (error) => {
  if (error.code !== 'EPIPE') throw error
})

launch('depositd', () => import('../dist/depositd/main.js'))
