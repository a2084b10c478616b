/** The style of the issuer's pages: one column, the fonts of the system, light or dark. */
export const style = `
:root {
  color-scheme: light dark;
  --ink: light-dark(#16201f, #e8eded);
  --soft: light-dark(#52605f, #a3b0b2);
  --paper: light-dark(#f6f7f7, #101416);
  --card: light-dark(#ffffff, #181d20);
  --line: light-dark(#c3cbcb, #3a4449);
  --strong: light-dark(#0b6363, #5cc8c2);
  --on-strong: light-dark(#ffffff, #06201f);
  --wrong: light-dark(#a3201c, #ff9d96);
}
* { box-sizing: border-box; }
body {
  margin: 0;
  background: var(--paper);
  color: var(--ink);
  font: 1rem/1.5 system-ui, sans-serif;
}
main {
  max-width: 28rem;
  margin: 0 auto;
  padding: 1.5rem;
  background: var(--card);
  min-height: 100vh;
}
@media (min-width: 32rem) {
  main {
    min-height: 0;
    margin: 10vh auto;
    padding: 2rem;
    border: 1px solid var(--line);
    border-radius: 0.75rem;
  }
}
.brand { display: flex; align-items: center; gap: 0.5rem; margin: 0 0 1rem; font-weight: 600; }
.brand-mark {
  width: 1.6rem;
  height: 1.6rem;
  border-radius: 0.42rem;
  background:
    linear-gradient(var(--on-strong) 0 0) 50% 30% / 52% 10% no-repeat,
    linear-gradient(var(--on-strong) 0 0) 50% 50% / 52% 10% no-repeat,
    linear-gradient(var(--on-strong) 0 0) 38% 70% / 34% 10% no-repeat,
    var(--strong);
}
h1 { margin: 0 0 1rem; font-size: 1.5rem; line-height: 1.25; }
h2 { margin: 1.5rem 0 0.5rem; font-size: 1rem; }
label { display: block; margin-top: 1rem; font-weight: 600; }
input {
  width: 100%;
  margin-top: 0.25rem;
  padding: 0.625rem 0.75rem;
  border: 1px solid var(--line);
  border-radius: 0.5rem;
  background: var(--paper);
  color: inherit;
  font: inherit;
}
input.code { font: 600 1.5rem ui-monospace, monospace; letter-spacing: 0.1em; text-align: center; text-transform: uppercase; }
.code-shown { font: 600 1.75rem ui-monospace, monospace; letter-spacing: 0.1em; text-align: center; margin: 1rem 0; }
button, .button {
  display: block;
  width: 100%;
  margin-top: 1rem;
  padding: 0.75rem;
  border: 1px solid var(--strong);
  border-radius: 0.5rem;
  background: var(--strong);
  color: var(--on-strong);
  font: inherit;
  font-weight: 600;
  cursor: pointer;
  text-align: center;
  text-decoration: none;
}
code { overflow-wrap: anywhere; }
button.second { background: transparent; color: var(--strong); }
:focus-visible { outline: 3px solid var(--strong); outline-offset: 2px; }
.hint { color: var(--soft); font-size: 0.9rem; }
.complaint { padding: 0.75rem; border-left: 4px solid var(--wrong); background: var(--paper); color: var(--wrong); }
ul { padding-left: 1.25rem; }
dl { display: grid; grid-template-columns: auto 1fr; gap: 0.25rem 1rem; }
dt { color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
`
