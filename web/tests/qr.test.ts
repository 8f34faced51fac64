// Codes made by another encoder (qrcodegen 1.8, byte mode, level M), row by row as bits in hexadecimal.
import { describe, expect, it } from 'vitest';
import { encode, pathOf, versionFor, type Modules } from '../src/lib/qr';

const VECTORS: [text: string, mask: number, code: string][] = [
  [
    'HELLO',
    0,
    'fe73fc15906e88bb7465dbaaaec13507faafe00b00aa50954310819a3f5ac42676aa005a9bf85cf047b0bab73dd219aeaa2b04c52feab38',
  ],
  [
    'HELLO',
    1,
    'fea3fc13106ebcbb74c5dba7aec15d07faafe00100a3012fe9ba14cf6bf06e8323ff007033fb09b04d1aba626dd0b32ebf7f046f8fefe68',
  ],
  [
    'HELLO',
    2,
    'fe13fc11506eb0bb7555dbacaec17907faafe01800be33e36bf30fa2dcd0fcc5f8928054a3f9d2d0543ebad4b5d6fa2eb2c904fdcfec8b0',
  ],
  [
    'HELLO',
    3,
    'fe93fc17906e8abb7555dba12ec10d07faafe01300b75a5b6bf32294076227a5f892807917fa6410543eba0fddd597aeb2c9044b1fea500',
  ],
  [
    'HELLO',
    4,
    'fed3fc13506e9ebb7525dba8aec15907faafe01f008bf7c8e5cbecace5c88d02e4e300772ffb31504322ba93add0c2ee9cf1048c0fe8fa8',
  ],
  [
    'HELLO',
    5,
    'fe23fc17506eb0bb7595dba4aec11907faafe0100082b672acef4fa2dcf07ec323ff007423f9d2d0484fba54b5d0f22e9f7f047fcfec8b0',
  ],
  [
    'HELLO',
    6,
    'fea3fc17506eb8bb7495dbadaec10107faafe000009f94baacef46864ee81f4323ff00772ffb4090584fbac6fdd5742e9f7f0473ffeec20',
  ],
  [
    'HELLO',
    7,
    'fe73fc10906e8cbb7465dba0aec17d07faafe00f0096c505431093d31b13e0b676aa0048d3f815d057b0ba13add68bee8a2b048c0feb970',
  ],
  [
    'https://lynxden.example/t/abc',
    4,
    'feaea3fc12f8d06e969abb75f025dbad062ec1686d07faaaafe016bc008b8c57cb6cf41fe6b23ac22a749fbbb8fed104ec31fd2e1cafa382bc5357145c1563351ec4c8300a0964cb3fe77cfc80741447fb9c6bb04fbb11babc5fddd3d548ae8a251f043cd2bfef52b50',
  ],
  [
    'Grüße aus der Höhle – 한국어 🐈',
    0,
    'fe53bbfc172ad06e9d98bb74e765dbac1b2ec12e0907faaaafe0051300aa6a3892af9a715c8b6ba851272a53e2bbe2c62377abf90dbd529d3d2f17dbe76be082116ef8ccf6a39b0c19fba4f980780c4bf9162bf0400518bac1bf85d3c7a6eea9606b0483682fe973a98',
  ],
  [
    'http://192.168.1.20:8060/t/7Gk2mQ9xTzPa?i=Vb81LsYw3nRe0DfKjHqC5tXo',
    5,
    'fe419b63fc14a57c506ea301c8bb75a98be5dba78d7c2ec116a46107faaaaaafe0185c5300829d84a672e347070cb9ad6d9c7702bc723c1f3d7423e0e6de86fa2a391eaa5528b9d0e51cef563ee7ac45c429f0a3a4346f8b4ab345129dade415bc18f9a8cc530e57124f6a25be573056885f5a0c0f33504b21c1fca55759716050c9b839e5fa80638adc5ff895c6ab304a829513ba413f5ff5d3805ad16e930a950f04c3443f9fe84993a28',
  ],
  [
    'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
    3,
    'febddb6dbfc15e6492506e9fc4924bb7520b6db5dba64b6db2ec1170924907faaaaaaafe0197924900b7756db6a5fa842db6dd42f732492cc614e2492516be7db6d97a2f59b6db0c89ae49241743a649248a573c36db4cce6676db6bbd8f89249a13b8692493ce668edb6fa0050adb6dd58b152492cdc3632492501fcfdb6d9782c61b6db0edada492416785649248a822f36db4c9209f6db6ba8f6a9249a011f192493c7b806db6fa00592db6c57facf2496ad055e249111ba2cbb6cffdd578b6d646ea0c4927570485c927dafed1b6db9d0',
  ],
  [
    'lynxlynxlynxlynxlynxlynxlynxlynxlynxlynxlynxlynxlynxlynxlynxlynxlynxlynxlynxlynxlynxlynxlynxlynxlynxlynxlynxlynxlynxlynxlynxlynxlynxlynxlynxlynxlynxlynx',
    2,
    'fe24c8c618bfc124831c73d06eb3078a7c6bb75b6c30eba5dbade07fe042ec1458114f9107faaaaaaaaafe01a69453e700be0f5fe319be361b5beb4631bff5890a7cc3753f77253e730ae645fc75cf30817c92f023383cf93ca7cc76fa27725b6d311a8c0b8378b726e4c96b463781e7614b6de6798a8d2f94d304b57aba15af75e7d69230e332bf2ecff29ff6311b9c794f11ca820ea378ae3c5a791b86473beb30ff29be72aba96f94d332fed8f615b5e0c3cdac30e5900a454b7299b78b8856f1c5b1f369bc675d4a4ebb5adb86892f9c4af63899e507db0d3e593baa33c6319ca2674bbcb469991c408b27c9d6e02c70d3e590e2bd5fe75dfb005aab1f02c5bf8223aa7cebf0501bc53e711bad51be318fb5d637b1b46e7eead19e27c8410496339b6cc1fed6c8215bcf8',
  ],
  [
    'yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy',
    1,
    'fe8338aaaaaf3fc107c5b77776906eba14d11111cbb74e69baaaaaa5dba5b20feaaa92ec147c1b17777107faaaaaaaaaaafe0033a9c7777500a31eb23eaaaa1284120f9aaaaaa9c79f7f2c444424a3038a9b777757a729ab60aaaaa297a11cc9aaaaaa9c89e1eac444424a2872a9b777757a769a2a0aaaaa28ee30469aaaaaa9c386332c444424a5ab105b777757a7f12160aaaaa296a34599aaaaaa9c0d42f2c444424a58d195b777757a7fca4e0aaaaa296a90699aaaaaa9e3f3213fc4443ead1f1e5c777751abac24e6aaaaba90c5149b1aaaac5fff7402fc4443eb58ece9df7777dac243ca64aaab4120930b9aaaaa29babf80a2c4440a919a3e5df7777d8ce00d264aaab41a0908d9aaaaa29f0bf8ca2c4440ab01e109df7777daca00d264aaab412490b59aaaaa29f2a592a2c4440ab99e1b9df7777da8f58da64aaab4126e0b59aaaaa29e9c702a2c4440abf1f1c9df7777da02d3fa7eaaabf900672591aaaac5ffa642aac4446ab04d3c14777751aba527a3eaaaaf95d24a7bdaaaadd2ebf6232c4442af04d0c1ab7776a8fef4ee30aaab108',
  ],
];

function hex(modules: Modules): string {
  const bits = modules.flat().map(Number).join('');
  return bits
    .padEnd(Math.ceil(bits.length / 4) * 4, '0')
    .replace(/.{4}/g, (four) => parseInt(four, 2).toString(16));
}

describe('QR codes', () => {
  it.each(VECTORS)('%s with mask %s', (text, mask, code) => {
    expect(hex(encode(text, mask))).toBe(code);
  });

  it('takes the smallest version, and refuses what is too long', () => {
    expect([14, 15, 26, 27, 180, 181, 213].map(versionFor)).toEqual([1, 2, 2, 3, 9, 10, 10]);
    expect(() => versionFor(214)).toThrow(RangeError);
  });

  it('draws every dark module once', () => {
    const modules = encode('lynx');
    const drawn = [...pathOf(modules).matchAll(/h(\d+)v1/g)].reduce(
      (sum, found) => sum + Number(found[1]),
      0,
    );
    expect(drawn).toBe(modules.flat().filter(Boolean).length);
  });
});
