// The host's Chinese words (names of bets, grounds, refusals, alerts) are Simplified. This shows them in Traditional, with
// the terms of casinos in Hong Kong and Macau: first whole words, the longest first, then single characters. The table holds
// what occurs in the rulebooks and in the program; the unit test names what is missing.

/** Words with a term of their own, or with a character that stands for several. */
const phrases = `
积分余额 餘額
购买积分 購入餘額
积分 餘額
投注凭证 兌現券
票券 兌現券
大细赔率表 骰寶（大小）賠率表
大细 骰寶（大小）
两骰组合 牌九式
对子加单骰 對子加單骰
所选单骰 所選單骰
单骰 三軍
双骰 對子
孤儿注 孤注 Orphelins
三分区注 三分 Tiers
揭盅 開盅
一粒骰子 一顆骰子
值班经理 當值經理
值台主管 監場主任
区域主管 監場主任
区域经理 監場經理
场区员工 賭區員工
收银 出納
赌台 賭枱
牌桌 賭枱
本台 本枱
开台 開枱
关台 關枱
接台 接枱
台终端 部終端機
台） 部）
终端 終端機
用户名 登入名稱
登录 登入
程序 程式
设置 設定
连接 連線
屏幕 螢幕
游戏 遊戲
答复 答覆
字段 欄位
字符 字元
为准 為準
重复 重複
“ 「
” 」
`;

/** Simplified and traditional, two by two. */
const characters = [
  '万萬与與两兩个個为為举舉义義书書买買于於产產亿億仅僅从從们們传傳余餘儿兒兑兌关關内內写寫军軍决決况況凭憑则則别別动動区區单單参參双雙发發号號后後启啟员員响響围圍场場坏壞变變联聯这這业業处處够夠备備复復奖獎宝寶',
  '实實对對将將屉屜属屬布佈并並庄莊应應废廢开開异異当當录錄径徑态態总總戏戲户戶执執扰擾报報拟擬损損换換据據掷擲摆擺摇搖数數断斷无無旧舊时時显顯暂暫术術机機权權条條来來标標检檢毕畢没沒测測滚滾满滿',
  '灯燈点點状狀独獨现現电電盖蓋盘盤码碼确確离離种種积積称稱筹籌签簽类類红紅级級纳納线線组組细細终終经經结結绕繞络絡绝絕统統继繼续續维維绿綠编編网網职職胜勝范範获獲营營补補装裝见見规規视視',
  '览覽计計认認让讓记記论論设設访訪证證试試该該语語误誤说說请請读讀谁誰负負责責购購贰貳赌賭赔賠赢贏转轉轮輪较較输輸达達过過运運还還进進远遠连連适適选選遗遺邻鄰释釋针針钟鐘钥鑰钱錢银銀销銷锁鎖错錯',
  '长長门門闭閉问問间間阶階际際陆陸项項顺順须須顿頓预預领領频頻颗顆题題颜顏额額飞飛验驗会會话話败敗简簡详詳',
  '柜櫃绪緒务務钞鈔页頁搁擱',
].join('');

const words = new Map<string, string>();
for (const line of phrases.trim().split('\n')) {
  const space = line.indexOf(' ');
  words.set(line.slice(0, space), line.slice(space + 1));
}
for (let at = 0; at < characters.length; at += 2) {
  words.set(characters.charAt(at), characters.charAt(at + 1));
}
const longestFirst = [...words.keys()].sort((a, b) => b.length - a.length);
const known = new RegExp(longestFirst.join('|'), 'g');

/** A text of the host in Traditional Chinese. */
export function traditional(text: string): string {
  return text.replace(known, (found) => words.get(found) ?? found);
}
