import { svelte } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vitest/config';

// Built into the Python package, so that whoever installs it needs no Node.
export default defineConfig({
  plugins: [svelte()],
  build: {
    outDir: '../src/lynxden/server/web',
    emptyOutDir: true,
    target: 'es2022',
    assetsInlineLimit: 0, // the content policy allows no data: scripts
    modulePreload: { polyfill: false },
    rolldownOptions: {
      checks: { pluginTimings: false }, // nobody who starts the server needs to know
      // What several pages share comes in one piece: a phone far away waits for every file.
      output: { codeSplitting: { groups: [{ name: 'shared', minShareCount: 2, test: /src|node_modules/ }] } },
    },
  },
  server: {
    proxy: { '/api': { target: 'http://127.0.0.1:8060', ws: true } },
  },
  test: { include: ['tests/**/*.test.ts'] },
});
