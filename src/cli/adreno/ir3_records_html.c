// SPDX-License-Identifier: MIT
// Records as a page: its data as JSON in it, shown by a script. Nothing is fetched from elsewhere.
#include <inttypes.h>
#include <string.h>

#include "base/json.h"
#include "base/output.h"
#include "cli/adreno/ir3_records.h"

static const char page_head[] =
    "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
    "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
    "<title>Records of a shader</title>\n<style>\n"
    ":root{color-scheme:light dark;--line:#d0d4da;--soft:#f3f5f8;--on:#dbe7ff;--bad:#b3261e}\n"
    "@media(prefers-color-scheme:dark){:root{--line:#3a3f47;--soft:#23272e;--on:#2b3f66;"
    "--bad:#ff8a80}}\n"
    "body{font:15px/1.45 system-ui,sans-serif;margin:1.5rem auto;max-width:110rem;padding:0 1rem}\n"
    "h1{font-size:1.3rem;margin:0;overflow-wrap:anywhere}h2{font-size:1.05rem}\n"
    "main{display:grid;grid-template-columns:minmax(20rem,2fr) 3fr;gap:1.5rem}\n"
    "@media(max-width:60rem){main{grid-template-columns:1fr}}\n"
    "section{overflow:auto;max-height:78vh;border-top:1px solid var(--line)}\n"
    "table{border-collapse:collapse;width:100%;font:13px/1.5 ui-monospace,monospace}\n"
    "th,td{text-align:left;padding:.1rem .5rem;border-bottom:1px solid var(--line)}\n"
    "th{position:sticky;top:0;background:var(--soft);white-space:nowrap}\n"
    "td.n{text-align:right}td.v{white-space:nowrap}.bad{color:var(--bad);font-weight:600}\n"
    "tr.on{background:var(--on)}button{font:inherit;border:0;background:none;color:inherit;"
    "padding:0;cursor:pointer;text-align:left}button:hover{text-decoration:underline}\n"
    "button.more{border:1px solid var(--line);border-radius:4px;padding:.2rem .6rem;margin:.5rem}\n"
    "form{display:flex;flex-wrap:wrap;gap:.4rem 1.2rem;margin:.8rem 0}\n"
    "input,select{font:inherit;padding:.15rem .4rem}\n</style></head><body>\n"
    "<h1 id=\"title\">Records of a shader</h1>\n<p id=\"sum\"></p>\n<p id=\"nan\"></p>\n"
    "<noscript><p>A script of this page shows what is in it.</p></noscript>\n"
    "<form id=\"form\"><label>Instructions with <input id=\"text\" placeholder=\"mad\"></label>\n"
    "<label>Invocations <input id=\"who\" placeholder=\"0-63\"></label>\n"
    "<label>Values as <select id=\"as\"><option value=\"both\">hexadecimal and float</option>"
    "<option value=\"hex\">hexadecimal</option><option value=\"float\">float</option>"
    "<option value=\"int\">signed</option><option value=\"uint\">unsigned</option></select>"
    "</label>\n<button type=\"button\" id=\"all\">all instructions, in their order</button>"
    "</form>\n<main><section><table id=\"list\"></table></section>\n"
    "<section><h2 id=\"what\"></h2><table id=\"values\"></table>"
    "<button type=\"button\" class=\"more\" id=\"more\">more</button></section></main>\n"
    "<script type=\"application/json\" id=\"data\">";

static const char page_values[] =
    "</script>\n<script>\n'use strict';\n"
    "const D=JSON.parse(document.getElementById('data').textContent),STEP=500;\n"
    "const by=id=>document.getElementById(id),view=new DataView(new ArrayBuffer(4));\n"
    "let chosen=-1,room=STEP;\n"
    "function make(tag,text,cls){const e=document.createElement(tag);e.textContent=text;\n"
    " if(cls)e.className=cls;return e;}\n"
    "function half(v){const s=v&0x8000?-1:1,e=v>>10&31,m=v&1023;\n"
    " return e===31?(m?NaN:s*Infinity):e?s*2**(e-15)*(1+m/1024):s*2**-14*(m/1024);}\n"
    "function float(v,name){if(name[0]==='h')return half(v);\n"
    " view.setUint32(0,v);return view.getFloat32(0);}\n"
    "function hex(v){return '0x'+v.toString(16).padStart(8,'0');}\n"
    "function real(v,name){const f=float(v,name);\n"
    " return Object.is(f,-0)?'-0':Number.isFinite(f)?String(+f.toPrecision(7)):String(f);}\n"
    "function say(v,name){switch(by('as').value){\n"
    " case 'hex':return hex(v);case 'float':return real(v,name);case 'uint':return String(v);\n"
    " case 'int':return String(name[0]==='h'?v<<16>>16:v|0);\n"
    " default:return hex(v)+' '+real(v,name);}}\n"
    "function names(i){return D.instructions[i].dst.concat(D.instructions[i].src);}\n"
    "function isFirstNan(r){return D.nan!==null&&D.records[D.nan.record]===r;}\n";

static const char page_show[] =
    "function range(){const m=/^\\s*(\\d+)(?:\\s*-\\s*(\\d+))?\\s*$/.exec(by('who').value);\n"
    " const bad=by('who').value.trim()!==''&&!m;by('who').setCustomValidity(bad?'N or N-M':'');\n"
    " by('who').classList.toggle('bad',bad);\n"
    " return m?[+m[1],+(m[2]||m[1])]:[0,Infinity];}\n"
    "function wanted(i){return "
    "D.instructions[i].text.toLowerCase().includes(by('text').value.toLowerCase());}\n"
    "function list(){const t=by('list'),n=D.instructions.map(()=>0),[a,b]=range();\n"
    " for(const r of D.records)if(r[0]>=a&&r[0]<=b)n[r[1]]++;\n"
    " t.replaceChildren();const h=t.createTHead().insertRow();\n"
    " for(const x of ['at','instruction','records'])h.append(make('th',x));\n"
    " const body=t.createTBody();D.instructions.forEach((x,i)=>{if(!wanted(i))return;\n"
    "  const row=body.insertRow();row.className=i===chosen?'on':'';\n"
    "  row.append(make('td',x.at,'n'));const cell=row.insertCell(),b=make('button',x.text);\n"
    "  if(D.nan!==null&&D.records[D.nan.record][1]===i)\n"
    "   {b.className='bad';b.textContent+='  (first NaN)';}\n"
    "  b.onclick=()=>{chosen=i;show();};cell.append(b);row.append(make('td',n[i],'n'));});}\n"
    "function head(t,found){const "
    "h=t.createTHead().insertRow();h.append(make('th','invocation'));\n"
    " if(chosen<0){h.append(make('th','instruction'),make('th','values'));return;}\n"
    " names(chosen).forEach((x,k)=>{const d=D.instructions[chosen].dst.length;\n"
    "  const all=new Set(found.map(r=>r[2+k])).size;\n"
    "  h.append(make('th',(k<d?'dst ':'src ')+x+', '+all+' different'));});}\n"
    "function line(body,r){const row=body.insertRow(),x=D.instructions[r[1]],ns=names(r[1]);\n"
    " if(isFirstNan(r)){row.className='on';row.id='firstnan';}\n"
    " const who=make('button',r[0]);who.title='this invocation from begin to end';\n"
    " who.onclick=()=>{by('who').value=r[0];chosen=-1;show();};row.insertCell().append(who);\n"
    " const values=ns.map((name,k)=>make(chosen<0?'span':'td',(chosen<0?(k?' ':'')+\n"
    "  (k<x.dst.length?'dst(':'src(')+name+')=':'')+say(r[2+k],name),\n"
    "  isFirstNan(r)&&D.nan.value===k?'v bad':'v'));\n"
    " if(chosen<0){const b=make('button',x.text);b.onclick=()=>{chosen=r[1];show();};\n"
    "  row.insertCell().append(b);row.insertCell().append(...values);}else "
    "row.append(...values);}\n"
    "function show(more){room=more?room+STEP:STEP;list();const t=by('values'),[a,b]=range();\n"
    " const found=D.records.filter(r=>r[0]>=a&&r[0]<=b&&(chosen<0?wanted(r[1]):r[1]===chosen));\n"
    " t.replaceChildren();head(t,found);const body=t.createTBody();\n"
    " for(const r of found.slice(0,room))line(body,r);\n"
    " by('what').textContent=(chosen<0?'All instructions':D.instructions[chosen].text)+': '+\n"
    "  found.length+' records';by('more').hidden=found.length<=room;}\n"
    "by('title').textContent=D.title;\n"
    "by('sum').textContent=D.invocations+' invocations, '+D.all+' records'+\n"
    " (D.all>D.records.length?', of which this page has the first '+D.records.length:'')+\n"
    " (D.missing?', '+D.missing+' bytes of records are missing: there was no room':'')+'.';\n"
    "if(D.nan!==null){const r=D.records[D.nan.record];const b=make('button','The first that is '+\n"
    " 'not a number: '+names(r[1])[D.nan.value]+' of invocation '+r[0]+', '+\n"
    " D.instructions[r[1]].text,'bad');b.onclick=()=>{chosen=r[1];by('who').value=r[0];show();};\n"
    " by('nan').append(b);}\n"
    "for(const id of ['text','who','as'])by(id).addEventListener('input',()=>show());\n"
    "by('form').addEventListener('submit',e=>e.preventDefault());\n"
    "by('all').onclick=()=>{chosen=-1;show();};by('more').onclick=()=>show(true);show();\n"
    "</script></body></html>\n";

static void put_names(const struct lull_recorded *r, bool dst, struct lull_json *j)
{
    const uint32_t first = dst ? 0 : r->ndst, end = dst ? r->ndst : r->ndst + r->nsrc;
    lull_json_key(j, dst ? "dst" : "src");
    lull_json_open(j, '[');
    for (uint32_t k = first; k < end; k++) {
        lull_json_str(j, r->names[k]);
    }
    lull_json_close(j, ']');
}

static void put_instructions(const struct lull_manifest *m, struct lull_json *j)
{
    lull_json_key(j, "instructions");
    lull_json_open(j, '[');
    for (size_t i = 0; i < m->n; i++) {
        lull_json_open(j, '{');
        lull_json_put_u64(j, "at", m->all[i].at);
        lull_json_put_str(j, "text", m->all[i].text);
        put_names(&m->all[i], true, j);
        put_names(&m->all[i], false, j);
        lull_json_close(j, '}');
    }
    lull_json_close(j, ']');
}

/** Those of @p s, [invocation, instruction, values ...] each. @return How many there are. */
static size_t put_records(const struct lull_dump *d, const struct lull_records_page *s,
                          struct lull_json *j)
{
    size_t n = 0;
    lull_json_key(j, "records");
    lull_json_open(j, '[');
    for (size_t i = 0; i < d->n; i++) {
        const struct lull_dump_record *r = &d->all[i];
        const struct lull_recorded *x = &d->m->all[r->insn];
        if (r->invocation < s->first || r->invocation > s->last || n++ >= LULL_RECORDS_PAGE) {
            continue;
        }
        lull_json_open(j, '[');
        lull_json_u64(j, r->invocation);
        lull_json_u64(j, r->insn);
        for (uint32_t k = 0; k < x->ndst + x->nsrc; k++) {
            lull_json_u64(j, lull_dump_value(d, r, k));
        }
        lull_json_close(j, ']');
    }
    lull_json_close(j, ']');
    return n;
}

/** The first record of time that has no number, if it is among those of @p s: by its place there.
 */
static void put_nan(const struct lull_dump *d, const struct lull_records_page *s,
                    struct lull_json *j)
{
    size_t n = 0, i = 0;
    while (s->nan && i < d->n && d->all[i].at != s->nan_at) {
        n += d->all[i].invocation >= s->first && d->all[i].invocation <= s->last;
        i++;
    }
    lull_json_key(j, "nan");
    if (!s->nan || i == d->n || d->all[i].invocation < s->first || d->all[i].invocation > s->last ||
        n >= LULL_RECORDS_PAGE) {
        lull_json_null(j);
        return;
    }
    lull_json_open(j, '{');
    lull_json_put_u64(j, "record", n);
    lull_json_put_u64(j, "value", s->nan_value);
    lull_json_close(j, '}');
}

static void put_data(const struct lull_dump *d, const struct lull_records_page *s,
                     struct lull_str *out)
{
    struct lull_json j = {.out = out};
    lull_json_open(&j, '{');
    lull_json_put_str(&j, "title", d->m->shader != NULL ? d->m->shader : "Records of a shader");
    lull_json_put_u64(&j, "invocations", d->invocations);
    lull_json_put_u64(&j, "missing", d->missing);
    put_instructions(d->m, &j);
    lull_json_put_u64(&j, "all", put_records(d, s, &j));
    put_nan(d, s, &j);
    lull_json_close(&j, '}');
}

/** Data in a script: '<' of texts would end it. */
static void add_safe(struct lull_str *out, const char *text)
{
    while (*text != '\0') {
        const size_t n = strcspn(text, "<");
        lull_str_add(out, text, n);
        text += n;
        if (*text == '<') {
            lull_str_addf(out, "\\u003c");
            text++;
        }
    }
}

struct lull_error *lull_ir3_records_html(const struct lull_dump *d,
                                         const struct lull_records_page *s, const char *path)
{
    struct lull_str data = {0}, page = {0};
    struct lull_output o = {0};
    put_data(d, s, &data);
    lull_str_addf(&page, "%s", page_head);
    add_safe(&page, lull_str_text(&data));
    lull_str_addf(&page, "%s%s", page_values, page_show);
    struct lull_error *err = data.err != NULL ? data.err : page.err;
    err = err != NULL ? err : lull_output_open(&o, path);
    err = err != NULL ? err : lull_output_put(&o, page.text, page.size);
    err = err != NULL ? err : lull_output_keep(&o);
    lull_output_done(&o);
    lull_str_free(&data);
    lull_str_free(&page);
    return err;
}
